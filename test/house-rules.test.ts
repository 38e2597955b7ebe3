import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = new URL('../', import.meta.url);

describe('the rules of the house', () => {
  it('reads the files it judges', () => {
    expect(sources('src').length).toBeGreaterThan(100);
    expect(sources('src/core').length).toBeGreaterThan(30);
  });

  it('keeps every source file within 300 lines', () => {
    const long = allCode()
      .map((file) => ({ file, lines: lines(read(file)) }))
      .filter(({ lines }) => lines > 300);
    expect(long).toEqual([]);
  });

  it('explains every folder of src/ and testbed/ in a README of at most 15 lines', () => {
    const typescript = [...sources('src'), ...sources('testbed')].filter((file) => file.endsWith('.ts'));
    const folders = new Set(
      typescript.flatMap((file) => [dirname(file), dirname(file).split('/').slice(0, 2).join('/')]),
    );
    const unexplained = [...folders].sort().flatMap((folder) => {
      const readme = `${folder}/README.md`;
      if (!existsSync(new URL(readme, root))) return [`${readme} is missing`];
      const length = lines(read(readme));
      return length > 15 ? [`${readme} has ${length} lines`] : [];
    });
    expect(unexplained).toEqual([]);
  });

  it('defers nothing in a comment: that is an issue or a decision', () => {
    expect(offences(allCode(), /\b(TO[D]O|FIX[M]E|XX[X])\b/, { comments: true })).toEqual([]);
  });

  it('runs every test', () => {
    const tests = allCode().filter((file) => file.endsWith('.test.ts'));
    expect(
      offences(tests, /\b(it|test|describe)(\.\w+)*\.(skip|only|todo|fails)\b|\b(xit|xdescribe|fit|fdescribe)\(/),
    ).toEqual([]);
  });

  it('passes time and chance in: only the clock and the sandbox time read them', () => {
    const ambient =
      /\bDate\.now\b|\bnew Date\(\)|\bDate\(\)|\bperformance\.now\b|\bset(Timeout|Interval|Immediate)\b|\bMath\.random\b|\brandom(UUID|Bytes|Int)\b|\bgetRandomValues\b|['"](node:)?timers/;
    const doors = ['src/adapters/clock/', 'src/sandbox/time.ts'];
    const files = productionSources().filter((file) => !doors.some((door) => file.startsWith(door)));
    expect(offences(files, ambient)).toEqual([]);
  });

  it('leaves the end of the process to Node: entry points set an exit code', () => {
    expect(offences(productionSources(), /\bprocess\.exit\b/)).toEqual([]);
  });

  it('names files in kebab-case, after what is in them', () => {
    const unnamed = sources('src').filter((file) => {
      return !/^[a-z0-9]+(-[a-z0-9]+)*(\.(test|fixture))?\.(ts|mjs|lua)$/.test(basename(file));
    });
    expect(unnamed).toEqual([]);
    const drawers = sources('src').filter((file) => /(^|[/-])(utils?|helpers?|common|misc)([/.-]|$)/.test(file));
    expect(drawers).toEqual([]);
  });

  it('tells what changed', () => {
    expect(existsSync(new URL('CHANGELOG.md', root))).toBe(true);
  });
});

/** Source files below a folder, as paths from the root, sorted. */
function sources(folder: string): string[] {
  if (!existsSync(new URL(folder, root))) return [];
  return readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
    .map((file) => `${folder}/${file}`)
    .filter((file) => /\.(ts|mjs|lua)$/.test(file) && !file.includes('/recordings/'))
    .sort();
}

function productionSources(): string[] {
  return sources('src').filter((file) => !/\.(test|fixture)\.ts$/.test(file));
}

function allCode(): string[] {
  return [
    ...sources('src'),
    ...sources('test'),
    ...sources('bench'),
    ...sources('testbed'),
    ...sources('images'),
  ].filter((file) => file !== 'test/house-rules.test.ts');
}

/** `file:line: text` of every line that matches; what stands in comments counts only when asked for. */
function offences(files: readonly string[], pattern: RegExp, { comments = false } = {}): string[] {
  return files.flatMap((file) => {
    const text = comments ? read(file) : withoutComments(read(file));
    return text
      .split('\n')
      .flatMap((line, index) => (pattern.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : []));
  });
}

/** Line breaks stay, so that line numbers do. */
function withoutComments(text: string): string {
  return text
    .replaceAll(/\/\*[\s\S]*?\*\//g, (comment) => comment.replaceAll(/[^\n]/g, ''))
    .replaceAll(/(^|\s)\/\/.*$/gm, '');
}

function lines(text: string): number {
  return text.replace(/\n$/, '').split('\n').length;
}

function read(file: string): string {
  return readFileSync(new URL(file, root), 'utf8');
}
