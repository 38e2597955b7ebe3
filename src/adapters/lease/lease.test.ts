import { describe, expect, it } from 'vitest';
import { createSandbox, type SandboxOptions } from '../../sandbox/sandbox.ts';
import { virtualEpoch, virtualTime } from '../../sandbox/time.ts';
import { createClient } from '../kubernetes/client.ts';
import { createLease } from './lease.ts';

const never = new AbortController().signal;

describe('the run lease', () => {
  it('is taken once, named with its holder, given back, and free again', async () => {
    const { lease, run } = cluster();
    expect(await run(lease.take('run-1', never))).toEqual({ taken: true });
    expect(await run(lease.take('run-2', never))).toEqual({
      taken: false,
      by: { holder: 'run-1', since: '2026-01-05T03:00:00.000000Z', expiresAt: virtualEpoch + 30_000 },
    });
    expect(await run(lease.holder(never))).toMatchObject({ holder: 'run-1' });
    await run(lease.give('run-1', never));
    expect(await run(lease.holder(never))).toBeUndefined();
    expect(await run(lease.take('run-2', never))).toEqual({ taken: true });
  });

  it('has one winner when two reach for it at once', async () => {
    const { lease, run } = cluster();
    const answers = await run(Promise.all(['a', 'b', 'c'].map((name) => lease.take(name, never))));
    expect(answers.filter(({ taken }) => taken)).toHaveLength(1);
  });

  it('is taken over when it has run out, with the name of the dead', async () => {
    const { lease, run, time } = cluster();
    await run(lease.take('run-1', never));
    await run(time.sleep(29_000));
    expect(await run(lease.take('run-2', never))).toMatchObject({ taken: false });
    await run(time.sleep(1_000));
    expect(await run(lease.holder(never))).toBeUndefined();
    expect(await run(lease.take('run-2', never))).toEqual({ taken: true, takenOverFrom: 'run-1' });
  });

  it('is not given back by who does not have it', async () => {
    const { lease, run } = cluster();
    await run(lease.take('run-1', never));
    await run(lease.give('run-2', never));
    expect(await run(lease.holder(never))).toMatchObject({ holder: 'run-1' });
  });

  it('stays with who keeps it, for hours', async () => {
    const { lease, run, time } = cluster();
    await run(lease.take('run-1', never));
    const ending = new AbortController();
    const lost: string[] = [];
    const kept = lease.keep('run-1', (message) => lost.push(message), ending.signal);
    await run(time.sleep(3 * 3_600_000));
    expect(await run(lease.take('run-2', never))).toMatchObject({ taken: false, by: { holder: 'run-1' } });
    ending.abort();
    await run(kept);
    expect(lost).toEqual([]);
  });

  it('survives trouble that is shorter than itself', async () => {
    const { lease, run, time } = cluster(outage(19_000, 18_000));
    await run(lease.take('run-1', never));
    const lost: string[] = [];
    const ending = new AbortController();
    void lease.keep('run-1', (message) => lost.push(message), ending.signal);
    await run(time.sleep(120_000));
    ending.abort();
    expect(lost).toEqual([]);
  });

  it('is lost at the moment it runs out, not when the client gives up: another run may have it by then', async () => {
    const { lease, run, time, requests } = cluster(outage(12_000, 600_000));
    await run(lease.take('run-1', never));
    let lostAt = 0;
    const kept = lease.keep(
      'run-1',
      () => {
        lostAt = time.now() - virtualEpoch;
      },
      never,
    );
    await run(kept);
    // Renewed at 10 s, for 30 s.
    expect(lostAt).toBe(40_000);
    const sent = requests.length;
    await run(time.sleep(700_000));
    expect(requests.length).toBe(sent);
  });
});

function outage(fromMs: number, forMs: number): Partial<SandboxOptions> {
  const isDown = (now: number): boolean => now >= virtualEpoch + fromMs && now < virtualEpoch + fromMs + forMs;
  return { apiFaults: { before: (_request, now) => (isDown(now) ? { kind: 'refuse' } : undefined) } };
}

function cluster(options: Partial<SandboxOptions> = {}) {
  const time = virtualTime();
  const { handle, requests } = createSandbox({ record: 'all', time, ...options });
  const lease = createLease({
    client: createClient(handle, { clock: time }),
    clock: time,
    namespace: 'argocd',
    platform: 'acme',
  });
  return { lease, time, requests, run: <T>(work: Promise<T>): Promise<T> => time.run(work) };
}
