import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatProblems } from './format-problems.ts';
import { readPlatform } from './read-platform.ts';

const environment =
  'name: test\ndomain: acme.example.com\ngitRepository: https://git.example.com/a.git\ngitRevision: main\n';

describe('a hostile file', () => {
  const bomb = ['a: &a [x, x, x, x, x, x, x, x, x]'];
  for (const [at, name] of ['b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'].entries())
    bomb.push(`${name}: &${name} [${Array(9).fill(`*${'abcdefghi'[at]}`).join(', ')}]`);
  const staircase = Array.from({ length: 2000 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n');

  it.each([
    ['empty', '', 'The file is empty.'],
    ['only comments', '# nothing\n', 'The file is empty.'],
    ['binary', '\x7fELF\0\0', 'This is not a text file in UTF-8.'],
    ['not UTF-8', 'name: caf\uFFFD', 'This is not a text file in UTF-8.'],
    ['20 MB', 'a: b\n'.repeat(4_200_000), 'The file is too large: 20.0 MB, where 5 MB is the limit.'],
    ['tabs', 'stacks:\n\ts: {}\n', 'A tab is used for indentation.'],
    ['two documents', 'kind: Platform\n---\nkind: Platform\n', 'There is a second document in this file.'],
    ['a key twice', 'name: a\nname: b\n', '"name" is given twice; the first is in line 1.'],
    ['a list', '- a\n', 'The file should be a mapping of keys and values, but is a list.'],
    ['a word', 'hello', 'The file should be a mapping of keys and values, but is the text "hello".'],
    ['an alias bomb', bomb.join('\n'), 'The aliases of this file make it too large to read.'],
    ['an alias in itself', 'a: &a [*a, *a]', 'The file is nested too deeply to be read.'],
    ['an alias of nothing', 'name: *b', 'There is no anchor "&b" above.'],
    ['five million brackets', '['.repeat(5_000_000), 'The file is nested too deeply to be read.'],
    ['a hundred thousand dashes', '- '.repeat(100_000), 'The file is nested too deeply to be read.'],
    ['a staircase', staircase, 'The file is nested too deeply to be read.'],
    ['a tag', 'name: !!binary aGVsbG8=', 'There is a YAML tag (`!…`) here, which means nothing in this file.'],
    ['the prototype', 'stacks: { __proto__: { apps: {} } }', '"__proto__" cannot be a name.'],
    ['a mapping as a key', '{ a: 1 }: 2', 'A key must be plain text here.'],
    ['a boolean as a name', 'stacks: { true: {} }', 'The key true is read as a boolean, not as a name.'],
    ['an open bracket', 'name: [a\n', 'A bracket above is not closed.'],
  ])('%s is a problem, not a throw', (_, text, what) => {
    const { platform, problems } = read(text);
    expect(platform).toBeUndefined();
    expect(problems.map((problem) => problem.what)).toContain(what);
    for (const { at, remedy } of problems) {
      expect(at.line).toBeGreaterThan(0);
      expect(remedy).not.toBe('');
    }
  });

  it('of any bytes, or of any YAML, gives problems and a position in the file', () => {
    const word = fc.constantFrom(
      'stacks',
      'apps',
      'needs',
      'a',
      'a#b',
      ':',
      '- ',
      '\n',
      '  ',
      '[',
      ']',
      '{',
      '}',
      ', ',
      '*a',
      '&a ',
      '"',
      '!x',
      '#',
      '1',
      'null',
      '|',
      '?',
      '\t',
      '---',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.array(word, { maxLength: 60 }).map((words) => words.join('')),
        ),
        (text) => {
          const { platform, problems } = read(text);
          expect(platform).toBeUndefined();
          expect(problems.length).toBeGreaterThan(0);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('of any shape that is nearly right gives a platform or problems', () => {
    const leaf = fc.oneof(
      fc.constantFrom('a', 'b', 's', 'a#crds', 'soft', 'operator', '5m', ''),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
    );
    const key = fc.constantFrom(
      'a',
      'b',
      's',
      'apps',
      'needs',
      'parts',
      'crds',
      'kinds',
      'timeouts',
      'sync',
      'app',
      'edge',
      'type',
      'probes',
      'http',
      'layer',
    );
    const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 6 },
        leaf,
        fc.array(tie('tree'), { maxLength: 3 }),
        fc.dictionary(key, tie('tree'), { maxKeys: 4 }),
      ),
    }));
    fc.assert(
      fc.property(fc.dictionary(key, fc.record({ apps: fc.dictionary(key, tree) }), { maxKeys: 3 }), (stacks) => {
        const text = JSON.stringify({ apiVersion: 'tiphys.dev/v1', kind: 'Platform', name: 'acme', stacks });
        const { platform, problems } = read(text);
        expect(platform === undefined).toBe(problems.some(({ severity }) => severity === 'error'));
      }),
      { numRuns: 500 },
    );
  });

  it('may call an app after anything an object has', () => {
    const { platform, problems } = read(dag('constructor: { needs: [tostring] }, tostring: {}, hasownproperty: {}'));
    expect(formatProblems(problems)).toBe('');
    expect(platform?.apps.get('constructor')?.needs).toMatchObject([{ node: 'tostring' }]);
    expect(formatProblems(read(dag('a: { needs: [constructor, "a#constructor"] }')).problems)).toContain(
      'no app or stack called "constructor"',
    );
  });
});

describe('a large platform', () => {
  it('a chain of 5,000 apps is read', () => {
    const apps = Array.from({ length: 5000 }, (_, at) => `a${at}: { needs: [${at === 0 ? '' : `a${at - 1}`}] }`);
    expect(read(dag(apps.join(',\n  '))).platform?.apps.size).toBe(5000);
  });

  it('10,000 apps with 30,000 needs are read, and a slip among them is found', () => {
    const apps = Array.from({ length: 10_000 }, (_, at) => {
      const needs = at < 3 ? [] : [Math.floor(at / 2), Math.floor(at / 3), at - 1];
      return `      a${at}:\n        needs: [${[...new Set(needs)].map((need) => `a${need}`).join(', ')}]`;
    });
    const text = `apiVersion: tiphys.dev/v1\nkind: Platform\nname: acme\nstacks:\n  s:\n    apps:\n${apps.join('\n')}\n`;
    expect(read(text).platform?.apps.size).toBe(10_000);
    expect(formatProblems(read(`${text}      last: { needs: [a1o] }\n`).problems)).toContain(
      'dag.yaml:20007:23: error: There is no app or stack called "a1o".',
    );
  });

  it('stacks that need each other by the thousand are refused before they fill the memory', () => {
    const stack = (name: string) => `{ ${Array.from({ length: 3000 }, (_, at) => `${name}${at}: {}`).join(', ')} }`;
    const text = `apiVersion: tiphys.dev/v1\nkind: Platform\nname: acme\nstacks:\n  s: { apps: ${stack('a')} }\n  t: { needs: [s], apps: ${stack('b')} }\n`;
    expect(formatProblems(read(text).problems)).toContain('more than 1,000,000 needs between apps');
  });
});

function dag(apps: string): string {
  return `apiVersion: tiphys.dev/v1\nkind: Platform\nname: acme\nstacks: { s: { apps: { ${apps} } } }\n`;
}

function read(text: string) {
  return readPlatform({
    dag: { file: 'dag.yaml', text },
    environment: { file: 'environment.yaml', text: environment },
  });
}
