import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findAnsible, withoutAnsible } from './ansible.ts';
import { filter } from './python.ts';
import { scratchFolder } from './scratch.ts';

const isThere = findAnsible() !== undefined;
const repository = 'https://git.example.com/platform.git';

describe.runIf(isThere)(isThere ? 'credentials for Git' : `credentials for Git ${withoutAnsible}`, () => {
  const read = (path: string) => filter('credentials', 'git_credentials', path, repository);

  it('are read from a mounted Secret, whose files are links', () => {
    const folder = scratchFolder({ '..data-1/username': 'robot\n', '..data-1/password': 'hunter2\n' });
    symlinkSync('..data-1', join(folder, '..data'));
    for (const name of ['username', 'password']) symlinkSync(`..data/${name}`, join(folder, name));
    expect(read(folder)).toEqual({ value: { username: 'robot', password: 'hunter2' } });
  });

  it('are read from a Secret with an SSH key, whose last line break is part of it', () => {
    const key = '-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n-----END OPENSSH PRIVATE KEY-----\n';
    const folder = scratchFolder();
    mkdirSync(join(folder, 'ssh'));
    writeFileSync(join(folder, 'ssh', 'ssh-privatekey'), key);
    expect(read(join(folder, 'ssh'))).toEqual({ value: { sshPrivateKey: key } });
  });

  it('are read from YAML, and what Argo CD does not know is left out', () => {
    const folder = scratchFolder({ git: 'username: robot\npassword: hunter2\nurl: elsewhere\n' });
    expect(read(join(folder, 'git'))).toEqual({ value: { username: 'robot', password: 'hunter2' } });
  });

  it('are read from lines as git keeps them, and only for the host of the repository', () => {
    const folder = scratchFolder({
      git: 'https://a:wrong@other.example.com\nhttps://robot:hunter%402@git.example.com\n',
    });
    expect(read(join(folder, 'git'))).toEqual({ value: { username: 'robot', password: 'hunter@2' } });
  });

  it.each([
    ['another host', 'https://a:hunter2@other.example.com\n'],
    ['a bare token', 'hunter2\n'],
    ['broken YAML', 'username: [hunter2\n'],
    ['empty values', 'username: ""\n'],
  ])('are refused without repeating them (R7.5): %s', (_case, text) => {
    const folder = scratchFolder({ git: text });
    const { error } = read(join(folder, 'git'));
    expect(error).toContain(join(folder, 'git'));
    expect(error).not.toContain('hunter2');
  });
});
