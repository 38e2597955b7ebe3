import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readPlatform } from '../../core/platform/read-platform.ts';
import { parseFault } from './fault.ts';
import { readScenario } from './read-scenario.ts';

describe('readScenario', () => {
  test('reads durations, states and faults', () => {
    const { scenario, problems } = read(`
apiVersion: tiphys.dev/v1
kind: Scenario
defaults: { sync: 2s }
apps:
  database:
    ready: 3m
    states: [{ state: Creating, for: 2m }, { state: Running }]
    faults: ["sync-fails:2"]
`);
    expect(problems).toEqual([]);
    expect(scenario?.defaults).toEqual({ syncMs: 2000 });
    expect(scenario?.apps.get('database')).toEqual({
      readyMs: 180_000,
      states: [{ state: 'Creating', forMs: 120_000 }, { state: 'Running' }],
      faults: [{ app: 'database', kind: 'sync-fails', times: 2 }],
    });
  });

  test('reports every mistake with its place and no scenario', () => {
    const { scenario, problems } = read(`
apiVersion: tiphys.dev/v1
kind: Scenario
apps:
  databse: { ready: soon }
  web: { faults: [explodes], colour: red }
`);
    expect(scenario).toBeUndefined();
    expect(problems.map(({ at, what }) => `${at.line}:${at.column} ${what}`)).toEqual([
      '4:3 The platform has no app "databse".',
      '4:21 "soon" is not a duration.',
      '5:19 `explodes` is not a fault that the sandbox knows; it knows degraded, never-healthy, sync-fails, sealed, empty, stuck-finalizer, sync-fails:<times>.',
      '5:30 "colour" is not a key that "web" has.',
    ]);
  });

  test.each(['hello', 'reference', 'forty-three'])('the scenario of %s names only apps of its platform', (name) => {
    const { platform } = readPlatform({ dag: file(name, 'dag'), environment: file(name, 'environment') });
    const { problems } = readScenario(file(name, 'scenario'), platform);
    expect(platform).toBeDefined();
    expect(problems).toEqual([]);
  });
});

describe('parseFault', () => {
  test('reads app and fault', () => {
    expect(parseFault('web=degraded')).toEqual({ app: 'web', kind: 'degraded' });
    expect(parseFault('web=sync-fails:3')).toEqual({ app: 'web', kind: 'sync-fails', times: 3 });
  });

  test.each(['web', '=degraded', 'web=on-fire', 'web=degraded:2', 'web=sync-fails:0', 'web=sync-fails:1:2'])(
    'refuses %s in a sentence',
    (text) => {
      expect(parseFault(text)).toEqual({ error: expect.stringMatching(/^`.*\.$/) });
    },
  );
});

function read(text: string) {
  const { platform } = readPlatform({ dag: file('hello', 'dag'), environment: file('hello', 'environment') });
  return readScenario({ file: 'scenario.yaml', text: text.trimStart() }, platform);
}

function file(platform: string, which: string) {
  const name = `${which}.yaml`;
  return { file: name, text: readFileSync(new URL(`../../../platforms/${platform}/${name}`, import.meta.url), 'utf8') };
}
