import { expect } from 'vitest';
import { formatProblems } from './format-problems.ts';
import type { PlatformOverrides } from './platform-overrides.ts';
import { readPlatform } from './read-platform.ts';

export const environment = `name: production
domain: acme.example.com
gitRepository: https://git.example.com/acme/platform.git
gitRevision: main
`;

function dagOf(stacks: string): string {
  return `apiVersion: tiphys.dev/v1\nkind: Platform\nname: acme\nstacks:\n  ${stacks}\n`;
}

export function read(stacks: string, environmentText = environment, overrides: PlatformOverrides = {}) {
  const files = {
    dag: { file: 'dag.yaml', text: dagOf(stacks) },
    environment: { file: 'environment.yaml', text: environmentText },
  };
  return readPlatform(files, overrides);
}

export function platformOf(...files: Parameters<typeof read>) {
  const { platform, problems } = read(...files);
  expect(formatProblems(problems)).toBe('');
  if (platform === undefined) throw new Error('no platform');
  return platform;
}

export function problemsOf(...files: Parameters<typeof read>): string {
  return `\n${formatProblems(read(...files).problems)}\n`;
}
