import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const documents = [
  ...['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md'],
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).map((file) => `docs/${file}`),
  ...readdirSync(join(root, 'bench')).map((file) => `bench/${file}`),
].filter((file) => file.endsWith('.md'));

describe('the documents', () => {
  it('link to what is there', () => {
    const links = documents.flatMap(linksOf);
    expect(links.length).toBeGreaterThan(30);
    expect(links.filter(({ file, target }) => !leadsSomewhere(file, target))).toEqual([]);
  });

  it('name files that are there', () => {
    const named = documents.flatMap((file) => namedFiles(file).map((path) => ({ file, path })));
    expect(named.length).toBeGreaterThan(50);
    expect(named.filter(({ path }) => !existsSync(join(root, path)))).toEqual([]);
  });

  it('have no command that nobody runs', () => {
    const commands = documents.flatMap(commandsOf);
    expect(commands.length).toBeGreaterThan(20);
    // What a newcomer types is a `console` block, not prose: a `sh` block is not run here.
    const unrun = blocks(read('README.md'), 'sh').filter((text) => text.includes('bin/'));
    expect(unrun).toEqual([]);
  });
});

describe('the commands of the documents', () => {
  let clone = '';

  beforeAll(() => {
    clone = freshClone();
  });
  afterAll(() => {
    rmSync(clone, { recursive: true, force: true });
  });

  it.each(documents.filter((file) => commandsOf(file).length > 0))(
    '%s: every command ends as it says',
    async (file) => {
      const running: ChildProcess[] = [];
      const wrong: object[] = [];
      try {
        for (const command of commandsOf(file)) {
          if (command.endsWith(' &')) running.push(await inBackground(command.slice(0, -2), clone));
          else wrong.push(...ending(command, clone));
        }
      } finally {
        for (const child of running) await end(child);
      }
      expect(wrong).toEqual([]);
    },
    180_000,
  );
});

/** What a newcomer has after `npm ci`, with a bundle of its own, so that nothing here touches the clone's. */
function freshClone(): string {
  const clone = mkdtempSync(join(tmpdir(), 'tiphys-docs-'));
  for (const name of ['src', 'node_modules', 'package.json', 'tsconfig.json', 'schemas'])
    symlinkSync(join(root, name), join(clone, name));
  for (const name of ['bin', 'platforms']) cpSync(join(root, name), join(clone, name), { recursive: true });
  execFileSync(process.execPath, [join(root, 'build.mjs')], { cwd: clone });
  return clone;
}

/** Nobody's kubeconfig may be found by accident. */
function environment(clone: string): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'], HOME: clone, NO_COLOR: '1' };
}

function ending(command: string, clone: string): object[] {
  const wanted = Number(/# exit (\d+)$/.exec(command)?.[1] ?? 0);
  const { status, stdout, stderr } = spawnSync('sh', ['-c', command], {
    cwd: clone,
    env: environment(clone),
    encoding: 'utf8',
  });
  return status === wanted
    ? []
    : [{ command, wanted, status, stdout: stdout.slice(-1000), stderr: stderr.slice(-1000) }];
}

async function inBackground(command: string, clone: string): Promise<ChildProcess> {
  const child = spawn('sh', ['-c', `exec ${command}`], { cwd: clone, env: environment(clone) });
  let told = '';
  for await (const chunk of child.stderr) {
    told += String(chunk);
    if (told.includes('ready')) return child;
  }
  throw new Error(`${command} never became ready: ${told}`);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

/** Lines after `$ ` in `console` blocks. */
function commandsOf(file: string): string[] {
  return blocks(read(file), 'console').flatMap((text) =>
    text
      .split('\n')
      .filter((line) => line.startsWith('$ '))
      .map((line) => line.slice(2)),
  );
}

function blocks(text: string, language: string): string[] {
  return [...text.matchAll(/^```(\S*)\n([\s\S]*?)^```$/gm)]
    .filter(([, found]) => found === language)
    .map(([, , body]) => body ?? '');
}

function linksOf(file: string): { file: string; target: string }[] {
  const prose = read(file).replaceAll(/^```[\s\S]*?^```$/gm, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => ({ file, target }));
}

function leadsSomewhere(file: string, target: string): boolean {
  if (/^https?:/.test(target)) return true;
  const [path = '', anchor] = target.split('#');
  const found = path === '' ? join(root, file) : resolve(root, dirname(file), path);
  if (!existsSync(found)) return false;
  return anchor === undefined || headings(readFileSync(found, 'utf8')).includes(anchor);
}

/** As GitHub makes anchors: lower case, no punctuation, dashes for spaces. */
function headings(text: string): string[] {
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} -]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** Paths from the root that stand in backticks. */
function namedFiles(file: string): string[] {
  return [...read(file).matchAll(/`((?:src|test|docs|bench|platforms|schemas)\/[\w./-]+)`/g)].map(
    ([, path = '']) => path,
  );
}

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}
