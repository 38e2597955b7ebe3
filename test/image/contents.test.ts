import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readContents } from '../../images/executor/assembly/contents.ts';
import { versions } from '../../testbed/binaries/versions.ts';

const root = new URL('../..', import.meta.url).pathname;
const contents = readContents(root);

describe('what the executor image holds', () => {
  it('has every tool that phase 0 asks for (R3.4)', () => {
    expect(Object.keys(contents.programs).sort()).toEqual(['helm', 'kubectl', 'kubeseal', 'yq']);
    expect(contents.debian.packages).toEqual(
      expect.arrayContaining(['ca-certificates', 'git', 'jq', 'python3', 'tini']),
    );
    const asked: { collections: { name: string }[] } = parse(read('bootstrap/requirements.yml'));
    expect([...contents.ansible.collections].sort()).toEqual(asked.collections.map(({ name }) => name).sort());
  });

  it.each(Object.entries(contents.programs))('%s is locked at the version that is named', (_name, program) => {
    expect(read(`${program.folder}/go.mod`)).toMatch(
      new RegExp(
        `^(require)?\\s*${program.module.replaceAll('.', '\\.')} v${program.version.replaceAll('.', '\\.')}$`,
        'm',
      ),
    );
    expect(read(`${program.folder}/go.sum`)).toContain(`${program.module} v${program.version} h1:`);
    // What the linker is told is the same version once more.
    const told = Object.entries(program.variables).filter(
      ([name]) => /version$/i.test(name) && !/Major|Minor/.test(name),
    );
    for (const [, value] of told) expect(value.replace(/^v/, '')).toBe(program.version);
  });

  it('has the Helm and kubectl that the testbed proves', () => {
    expect(contents.programs['helm']?.version).toBe(versions.helm);
    expect(contents.programs['kubectl']?.version).toBe(versions.kubernetes);
  });

  it('has our own files at the places they have here, and the charts where `bootstrap` is told to look (R7.1)', () => {
    expect(contents.tiphys.folders.filter((folder) => !existsSync(join(root, folder)))).toEqual([]);
    expect(contents.config.environment['CHARTS']).toBe(contents.tiphys.charts);
    expect(contents.config.environment['TIPHYS_ANSIBLE']).toBe(contents.ansible.home);
    for (const home of [contents.tiphys.home, contents.ansible.home]) {
      expect(contents.config.environment['PATH']).toContain(`${home}/bin`);
    }
  });

  it('runs as nobody of importance, below an init, and writes to /tmp alone (R7.2)', () => {
    expect(contents.config.user).toBe('1000:1000');
    expect(contents.config.entrypoint).toEqual(['/usr/bin/tini', '--', 'executor']);
    expect(contents.mounts).toEqual(['/config', '/secrets']);
    expect(contents.writable).toEqual(['/tmp']);
    expect(contents.config.environment['HOME']).toBe('/tmp');
  });
});

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}
