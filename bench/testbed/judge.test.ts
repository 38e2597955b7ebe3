import { describe, expect, it } from 'vitest';
import type { Platform } from '../../src/core/platform/platform.ts';
import { readPlatform } from '../../src/core/platform/read-platform.ts';
import { entry } from '../../testbed/audit/audit.fixture.ts';
import type { AuditEntry } from '../../testbed/audit/read-audit.ts';
import { environmentText } from '../synthetic-platform.ts';
import { type Judgement, type JudgeOrder, judge } from './judge.ts';

const good = ['Synced', 'Healthy'] as const;
const progressing = ['Synced', 'Progressing'] as const;
/** `first` takes 3 s, `second` 2.9 s after it. */
const first = [asked(1, 'first'), record(2, 'first', progressing), record(4, 'first', good)];
const second = [asked(4.1, 'second'), record(5, 'second', progressing), record(7, 'second', good)];
const chain = [...first, ...second];

describe('the judge of the benchmark', () => {
  it('counts from the start until all are Synced and Healthy at once, and a hop from Healthy to the request', () => {
    const { makespanMs, hopsMs, slowest, criticalMs } = judged(chain);
    expect([makespanMs, hopsMs, criticalMs]).toEqual([7000, [100], 5900]);
    expect(slowest).toEqual([{ need: 'first', node: 'second', ms: 100 }]);
  });

  it('does not call that finished in which one has turned', () => {
    const turned = [...chain.slice(0, -1), record(6, 'first', progressing), record(7, 'second', good)];
    expect(() => judged(turned)).toThrow('not every Application became Synced and Healthy');
    expect(judged([...turned, record(9, 'first', good)]).makespanMs).toBe(9000);
  });

  it('counts a stability window to the path and not to the hop, and that of the last app to neither', () => {
    const windowMs = new Map(['first', 'second'].map((node) => [node, 50]));
    const { makespanMs, hopsMs, criticalMs, criticalWithWindowsMs, where } = judged(chain, { windowMs });
    expect([hopsMs, criticalMs, criticalWithWindowsMs]).toEqual([[50], 5900, 5950]);
    expect(where).toEqual({ start: 1000, hops: 50, windows: 50, creation: 0, operations: 1900, health: 4000 });
    expect(criticalWithWindowsMs).toBeLessThan(makespanMs);
  });

  it('counts no moment twice when an app was asked for before its need was ready', () => {
    const early = [...first, asked(2, 'second'), record(5, 'second', progressing), record(7, 'second', good)];
    expect(judged(early).criticalMs).toBe(6000);
  });

  it('takes the word of an app that was asked for longer than its record', () => {
    const { hopsMs, criticalMs } = judged(chain, { saidReadyAt: new Map([['first', 4080]]) });
    expect([hopsMs, criticalMs]).toEqual([[20], 5980]);
  });

  it('counts a hop from when a need that had turned was mended', () => {
    const mended = [...first, record(4.02, 'first', progressing), record(4.07, 'first', good), ...second];
    expect(judged(mended).hopsMs).toEqual([30]);
  });

  it('counts what a busy parent takes to the creation, not to the hop', () => {
    const busy = [record(3.9, 'parent', progressing, 'Running'), record(4.3, 'parent', good)];
    const creating = [asked(4.34, 'parent', ['second']), record(4.6, 'parent', good)];
    const later = [asked(4.7, 'second'), record(5, 'second', progressing), record(7, 'second', good)];
    const { hopsMs, toOperationMs, where } = judged([...first, ...busy, ...creating, ...later]);
    expect([hopsMs, toOperationMs]).toEqual([[40], [700]]);
    expect(where).toMatchObject({ hops: 40, creation: 300 + 360, operations: 1000 + 300 });
  });

  it('counts a hop to the own operation of what was made before its turn, and what was not there by then to the creation', () => {
    const later = [asked(4.7, 'second'), record(5, 'second', progressing), record(7, 'second', good)];
    const early = [asked(2.1, 'parent', ['second']), record(2.6, 'parent', good)];
    const inTime = judged([...first, ...early, ...later]);
    expect([inTime.hopsMs, inTime.toOperationMs, inTime.where.creation]).toEqual([[700], [700], 0]);
    const late = [asked(3.9, 'parent', ['second']), record(4.68, 'parent', good)];
    const tooLate = judged([...first, ...late, ...later]);
    expect([tooLate.hopsMs, tooLate.toOperationMs, tooLate.where.creation]).toEqual([[20], [700], 680]);
  });

  it('ends the path where the makespan ends, also while the operation of the last app still waits for a hook', () => {
    const hook = [record(6.5, 'second', good, 'Running'), record(7, 'second', good)];
    const { makespanMs, criticalMs, where } = judged([...chain.slice(0, -1), ...hook]);
    expect([makespanMs, criticalMs, where.operations + where.health]).toEqual([6500, 5400, 5400]);
  });

  it('begins the path with root and stack where apps are created through them, until the stack is there', () => {
    const parents = [asked(0.1, 'root', ['parent']), record(0.6, 'parent', progressing)];
    const { criticalWithWindowsMs, criticalWithParentsMs } = judged([...parents, ...chain]);
    expect([criticalWithWindowsMs, criticalWithParentsMs]).toEqual([5900, 6400]);
    expect(judged(chain).criticalWithParentsMs).toBe(5900);
  });

  it('says whom nobody has asked for, and what never became good', () => {
    expect(() => judged(first)).toThrow('nobody asked for a sync of second');
    expect(() => judged(chain.slice(0, -1))).toThrow('second never became Synced and Healthy');
  });
});

function judged(entries: readonly AuditEntry[], given: Partial<JudgeOrder> = {}): Judgement {
  const nothing = { windowMs: new Map(), saidReadyAt: new Map() };
  return judge({ platform: twoApps(), entries, startedAt: 0, ...nothing, ...given });
}

function twoApps(): Platform {
  const dag = `apiVersion: tiphys.dev/v1
kind: Platform
name: two
root: root
stacks:
  s:
    application: parent
    apps:
      first: {}
      second: { needs: [first] }
`;
  const { platform } = readPlatform({
    dag: { file: 'dag.yaml', text: dag },
    environment: { file: 'environment.yaml', text: environmentText },
  });
  if (platform === undefined) throw new Error('the two are no platform');
  return platform;
}

/** Somebody puts an operation onto an Application, for everything or for what it names. */
function asked(seconds: number, name: string, names?: readonly string[]): AuditEntry {
  const resources = names?.map((one) => ({ name: one }));
  return written(seconds, name, { operation: { sync: { ...(resources && { resources }) } } });
}

function record(
  seconds: number,
  name: string,
  [sync, health]: readonly [string, string],
  phase = 'Succeeded',
): AuditEntry {
  const status = { sync: { status: sync }, health: { status: health }, operationState: { phase } };
  return written(seconds, name, { status });
}

/** The moment is its revision, too. */
function written(seconds: number, name: string, more: { operation?: unknown; status?: unknown }): AuditEntry {
  const at = Math.round(seconds * 1000);
  const metadata = { name, resourceVersion: String(at) };
  return entry(at, {
    group: 'argoproj.io',
    resource: 'applications',
    name,
    receivedAt: at,
    answeredAt: at,
    object: { kind: 'Application', metadata, ...more },
  });
}
