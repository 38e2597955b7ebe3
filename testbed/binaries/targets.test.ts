import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { buildFolder } from './build-folder.ts';
import { targetsFor } from './targets.ts';
import { versions } from './versions.ts';

const targets = [...targetsFor('3.5'), ...targetsFor('3.4')];

it.each(targets)('builds $name in the version that versions.ts names', ({ name, module, version }) => {
  expect(goMod(name)).toMatch(new RegExp(`^(require )?\\s*${module} v${version.replaceAll('.', '\\.')}$`, 'm'));
});

it('asks for the newest Go that any wrapper module asks for', () => {
  const asked = targets.map(({ name }) => /^go (\S+)$/m.exec(goMod(name))?.[1] ?? 'none');

  expect(asked.sort((a, b) => a.localeCompare(b, 'en', { numeric: true })).at(-1)).toBe(versions.go);
});

function goMod(target: string): string {
  return readFileSync(`${buildFolder()}/${target}/go.mod`, 'utf8');
}
