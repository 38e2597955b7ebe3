import { createHash } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readContents } from '../../images/executor/assembly/contents.ts';
import { writeLayout } from '../../images/executor/assembly/write-layout.ts';
import { unpackImage } from './enter-image.ts';

const contents = readContents(new URL('../..', import.meta.url).pathname);
const folder = mkdtempSync(join(tmpdir(), 'tiphys-layout-'));
const facts = { contents, version: '1.2.3', epoch: 0 };

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('an image without a container engine', () => {
  it('has the same digest for the same files, whenever and in whichever order they were written', async () => {
    const names = ['b', 'a', 'c'];
    const first = tree('first', names, 1_000_000_000);
    const second = tree('second', names.toReversed(), 1_700_000_000);
    const digests = [await made('one', first), await made('two', second)];
    expect(digests[0]).toBe(digests[1]);
    writeFileSync(join(second, 'opt/a'), 'other');
    expect(await made('three', second)).not.toBe(digests[0]);
  });

  it('names every part by its content, and says how it starts', async () => {
    const layout = join(folder, 'whole');
    const digest = await writeLayout(layout, [{ architecture: 'amd64', folders: [tree('whole-tree', ['a'], 1)] }], {
      ...facts,
      revision: 'abc123',
    });
    const blobs = readdirSync(join(layout, 'blobs/sha256'));
    expect(blobs).toHaveLength(3);
    for (const name of blobs) {
      expect(
        createHash('sha256')
          .update(readFileSync(join(layout, 'blobs/sha256', name)))
          .digest('hex'),
      ).toBe(name);
    }
    expect(json(join(layout, 'oci-layout'))).toEqual({ imageLayoutVersion: '1.0.0' });
    expect(json(join(layout, 'index.json'))).toMatchObject({
      manifests: [{ digest, annotations: { 'org.opencontainers.image.ref.name': '1.2.3' } }],
    });
    const root = join(folder, 'unpacked');
    const { config } = unpackImage(layout, root, 'amd64');
    expect(config).toMatchObject({
      User: '1000:1000',
      WorkingDir: '/',
      Entrypoint: ['/usr/bin/tini', '--', 'executor'],
    });
    expect(config.Labels).toMatchObject({
      'org.opencontainers.image.version': '1.2.3',
      'org.opencontainers.image.revision': 'abc123',
    });
    expect(readFileSync(join(root, 'link'), 'utf8')).toBe('a');
  });

  it('holds both architectures in one index', async () => {
    const layout = join(folder, 'both');
    const roots = (['amd64', 'arm64'] as const).map((architecture) => ({
      architecture,
      folders: [tree(`both-${architecture}`, [architecture], 1)],
    }));
    const digest = await writeLayout(layout, roots, facts);
    const index = json(join(layout, 'blobs', ...digest.split(':')));
    expect(index).toMatchObject({
      manifests: [
        { platform: { architecture: 'amd64', os: 'linux' } },
        { platform: { architecture: 'arm64', os: 'linux' } },
      ],
    });
    const unpacked = (['amd64', 'arm64'] as const).map((architecture) => {
      const root = join(folder, `root-${architecture}`);
      return { ...unpackImage(layout, root, architecture), files: readdirSync(join(root, 'opt')) };
    });
    expect(unpacked).toMatchObject([
      { architecture: 'amd64', files: ['amd64'] },
      { architecture: 'arm64', files: ['arm64'] },
    ]);
  });
});

function made(name: string, tree: string): Promise<string> {
  return writeLayout(join(folder, name), [{ architecture: 'amd64', folders: [tree] }], facts);
}

function tree(name: string, files: readonly string[], time: number): string {
  const root = join(folder, name);
  mkdirSync(join(root, 'opt'), { recursive: true });
  symlinkSync(`opt/${[...files].sort()[0]}`, join(root, 'link'));
  for (const file of files) {
    writeFileSync(join(root, 'opt', file), file);
    chmodSync(join(root, 'opt', file), 0o755);
    utimesSync(join(root, 'opt', file), time, time);
  }
  return root;
}

function json(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'));
}
