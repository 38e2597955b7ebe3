import { describe, expect, it } from 'vitest';
import { systemClock } from '../adapters/clock/system-clock.ts';
import { ConnectionError } from '../adapters/kubernetes/connection.ts';
import { ApiError, UnreachableError } from '../adapters/kubernetes/errors.ts';
import { failed, passed } from '../core/preflight/finding.ts';
import { allChecks } from './all-checks.ts';
import type { Check } from './check.ts';
import { runChecks } from './run-checks.ts';
import type { Surroundings } from './surroundings.ts';

const never = new AbortController().signal;

describe('runChecks', () => {
  it('runs all of them, also when one fails, throws or hangs (R3.4)', async () => {
    const results = await run([
      check('good', async () => [passed('a', 'b')]),
      check('bad', async () => [failed('a', 'b', 'c')]),
      check('broken', async () => {
        throw new Error('planted');
      }),
      check('stuck', () => new Promise(() => undefined), { deadlineMs: 20 }),
      check('too early', () => {
        throw new Error('planted');
      }),
    ]);
    expect(results.map(({ id, verdict }) => [id, verdict])).toEqual([
      ['good', 'pass'],
      ['bad', 'fail'],
      ['broken', 'fail'],
      ['stuck', 'fail'],
      ['too early', 'fail'],
    ]);
    expect(results[2]?.findings[0]).toMatchObject({
      saw: expect.stringContaining('planted'),
      fix: expect.stringContaining('bug'),
    });
    expect(results[3]?.findings[0]?.saw).toBe('no result within 0.02 s');
  });

  it('runs them at the same time', async () => {
    let waiting = 0;
    let release = (): void => undefined;
    const all = new Promise<void>((resolve) => {
      release = resolve;
    });
    const meeting = check('meeting', async () => {
      waiting++;
      if (waiting === 3) release();
      await all;
      return [passed('a', 'b')];
    });
    const results = await run([meeting, meeting, meeting]);
    expect(results.map(({ verdict }) => verdict)).toEqual(['pass', 'pass', 'pass']);
  });

  it('says of what it could not see that nobody has looked', async () => {
    const refusal = { message: 'nodes is forbidden', status: 403, method: 'GET', path: '/api/v1/nodes' };
    const errors = [
      new UnreachableError('no answer', { cause: undefined }),
      new ConnectionError('there is no kubeconfig', 'Pass one.'),
      new ApiError(refusal),
      new ApiError({ ...refusal, message: 'Unauthorized', status: 401 }),
    ];
    const results = await run(errors.map((error) => check('blind', () => Promise.reject(error))));
    for (const { findings } of results) expect(findings).toMatchObject([{ verdict: 'warn', looked: false }]);
    expect(results[2]?.findings[0]?.saw).toContain('nodes is forbidden');
  });

  it('lets a check that has made something take it away before it gives up', async () => {
    let isClean = false;
    const tidy = check(
      'tidy',
      async (_surroundings, signal) => {
        try {
          await systemClock.sleep(60_000, signal);
        } finally {
          await systemClock.sleep(20);
          isClean = true;
        }
        return [];
      },
      { deadlineMs: 10, cleanUpMs: 5_000 },
    );
    await run([tidy]);
    expect(isClean).toBe(true);
  });

  it('is over at Ctrl-C', async () => {
    const stop = new AbortController();
    const running = runChecks([check('long', () => new Promise(() => undefined))], surroundings('report'), stop.signal);
    stop.abort(new Error('SIGINT'));
    await expect(running).rejects.toThrow('SIGINT');
  });

  it('only warns right before a bootstrap of what does not stop one', async () => {
    const soft = check('soft', async () => [failed('a', 'b', 'c')], { stopsBootstrap: false });
    const hard = check('hard', async () => [failed('a', 'b', 'c')]);
    const results = await runChecks([soft, hard], surroundings('bootstrap'), never);
    expect(results.map(({ verdict }) => verdict)).toEqual(['warn', 'fail']);
  });
});

describe('the checks', () => {
  it('each have a name of their own and a deadline', () => {
    expect(new Set(allChecks.map(({ id }) => id)).size).toBe(allChecks.length);
    expect(new Set(allChecks.map(({ title }) => title)).size).toBe(allChecks.length);
    for (const { id, deadlineMs } of allChecks) {
      expect(id).toMatch(/^[a-z]+(-[a-z]+)*$/);
      expect(deadlineMs).toBeGreaterThan(0);
      expect(deadlineMs).toBeLessThanOrEqual(120_000);
    }
  });
});

function check(id: string, work: Check['run'], over: Partial<Check> = {}): Check {
  return { id, title: id, area: 'cluster', deadlineMs: 5_000, run: work, ...over };
}

function run(checks: readonly Check[]) {
  return runChecks(checks, surroundings('report'), never);
}

/** These checks look at nothing but the clock. */
function surroundings(purpose: Surroundings['purpose']): Surroundings {
  return { clock: systemClock, purpose } as Surroundings;
}
