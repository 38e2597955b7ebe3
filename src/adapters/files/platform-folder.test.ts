import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { readPlatformFolder, readText } from './platform-folder.ts';

const folder = mkdtempSync(join(tmpdir(), 'tiphys-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('reads the two files, and the scenario when there is one', async () => {
  writeFileSync(join(folder, 'dag.yaml'), 'a');
  writeFileSync(join(folder, 'environment.yaml'), 'b');
  expect(await readPlatformFolder(folder)).toEqual({
    dag: { file: join(folder, 'dag.yaml'), text: 'a' },
    environment: { file: join(folder, 'environment.yaml'), text: 'b' },
    scenario: undefined,
  });
  writeFileSync(join(folder, 'scenario.yaml'), 'c');
  expect(await readPlatformFolder(folder)).toMatchObject({ scenario: { text: 'c' } });
});

it('names the file that is missing', async () => {
  expect(await readPlatformFolder(join(folder, 'nope'))).toEqual({
    missing: join(folder, 'nope', 'dag.yaml'),
    because: 'does not exist',
  });
});

it('says why a file cannot be had, without an exception', async () => {
  mkdirSync(join(folder, 'directory'));
  writeFileSync(join(folder, 'huge'), '');
  truncateSync(join(folder, 'huge'), 40 * 1024 * 1024);
  expect(await readText(join(folder, 'directory'))).toEqual({ because: 'is a folder' });
  expect(await readText(join(folder, 'huge'))).toEqual({ because: 'is 40 MB large' });
  expect(await readText(join(folder, 'dag.yaml', 'x'))).toEqual({ because: 'does not exist' });
});
