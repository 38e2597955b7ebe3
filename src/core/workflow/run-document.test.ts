import { describe, expect, it } from 'vitest';
import { platformOf, type RunDocument, readRun, writeRun } from './run-document.ts';
import { planWith } from './workflow.fixture.ts';

const dag = `apiVersion: tiphys.dev/v1
kind: Platform
name: acme
stacks:
  s:
    apps:
      base: {}
      db: { needs: [base] }
`;
const environment = `name: test
domain: example.com
gitRepository: https://git.example.com/platform.git
gitRevision: main
`;
const document: RunDocument = {
  runId: 'deploy-1',
  source: {
    dag: { file: 'dag.yaml', text: dag },
    environment: { file: 'environment.yaml', text: environment },
    overrides: { gitRevision: 'v2', nodeTimeouts: new Map([['db', 61_000]]), order: 'waves' },
  },
  plan: planWith({ base: {}, db: { base: 'soft' } }),
  order: 'waves',
  parallelism: 3,
  mostTasks: 1_500,
};

describe('the document of a run', () => {
  it('comes back as it was written, time-outs by node included, and is the same text each time', () => {
    expect(readRun(writeRun(document))).toEqual(document);
    expect(writeRun(structuredClone(document))).toBe(writeRun(document));
  });

  it('gives the same platform to whoever reads it, with what the command line said', () => {
    const platform = platformOf(readRun(writeRun(document)) as RunDocument);
    expect(platform).toMatchObject({ name: 'acme', environment: { gitRevision: 'v2', order: 'waves' } });
    if ('because' in platform) throw new Error(platform.because);
    expect(platform.apps.get('db')?.timeouts).toEqual({ syncMs: 61_000, healthMs: 61_000 });
    expect(platform.apps.get('base')?.timeouts.syncMs).not.toBe(61_000);
  });

  it.each([
    ['something else', 'not JSON'],
    ['{}', 'kind'],
    ['null', 'object'],
    [JSON.stringify({ ...JSON.parse(writeRun(document)), kind: 'tiphys.dev/v2 Run' }), 'tiphys.dev/v1 Run'],
    [JSON.stringify({ ...JSON.parse(writeRun(document)), plan: { kind: 'Plan' } }), 'plan.steps'],
  ])('says in one readable line why %s cannot be read', (text, word) => {
    const read = readRun(text);
    if (!('because' in read)) throw new Error('it was read');
    expect(read.because).toMatch(/^the parameter `run` is not a run of this version of Tiphys: /);
    expect(read.because).not.toContain('\n');
    if (word !== 'not JSON') expect(read.because).toContain(word);
  });

  it('says what is wrong with a platform that cannot be read any more', () => {
    const broken = { source: { ...document.source, dag: { file: 'dag.yaml', text: 'kind: Platform\n' } } };
    expect(platformOf(broken)).toEqual({
      because: expect.stringMatching(/^the platform of this run cannot be read: ./),
    });
  });
});
