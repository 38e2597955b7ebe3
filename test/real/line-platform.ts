import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Platform } from '../../src/core/platform/platform.ts';
import type { RealBed } from './testbed.ts';
import { eventually } from './waiting.ts';

/** Four apps of one name: `-one` → `-two` → `-three`, and `-aside` that needs nobody. */
export interface Line {
  readonly name: string;
  readonly folder: string;
  readonly platform: Platform;
  /** The whole name of one of them. */
  app(which: 'one' | 'two' | 'three' | 'aside'): string;
}

/**
 * Publishes a small platform whose apps need two seconds each: long enough to be met while they wait. Applications of other platforms
 * go first: all roots read the same folder of the same repository, and would fight for what is in it.
 */
export async function publishLine(
  bed: RealBed,
  name: string,
  { faults = [], two = '' }: { readonly faults?: readonly string[]; readonly two?: string } = {},
): Promise<Line> {
  const folder = join(bed.state.folder, 'platforms', name);
  mkdirSync(folder, { recursive: true });
  for (const [file, text] of Object.entries(filesOf(name, two))) writeFileSync(join(folder, file), text);
  await removeStrangers(bed, name);
  const { platform } = await bed.publish(folder, { speed: 1, faults });
  return { name, folder, platform, app: (which) => `${name}-${which}` };
}

async function removeStrangers({ client }: RealBed, name: string): Promise<void> {
  const path = '/apis/argoproj.io/v1alpha1/namespaces/argocd/applications';
  await eventually('no other platform has Applications', async () => {
    const { items } = await client.list<{ metadata: { name: string } }>(path);
    const strangers = items.filter(({ metadata }) => !metadata.name.startsWith(`${name}-`));
    for (const { metadata } of strangers) await client.delete(`${path}/${metadata.name}`);
    return strangers.length === 0;
  });
}

/** `two`: what the scenario says of the second app. */
function filesOf(name: string, two: string): Record<string, string> {
  return {
    'dag.yaml': `apiVersion: tiphys.dev/v1
kind: Platform
name: ${name}
root: ${name}-root
stacks:
  ${name}:
    application: ${name}-stack
    apps:
      ${name}-one: {}
      ${name}-two: { needs: [${name}-one], retries: { maxAttempts: 2, backoff: 1s } }
      ${name}-three: { needs: [${name}-two] }
      ${name}-aside: {}
`,
    'environment.yaml': `name: test
domain: example.com
gitRepository: https://git.example.com/demo/line.git
gitRevision: main
`,
    'scenario.yaml': `apiVersion: tiphys.dev/v1
kind: Scenario
defaults: { ready: 2s, delete: 1s }
apps: { ${name}-two: { ${two} } }
`,
  };
}
