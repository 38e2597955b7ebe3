import { describe, expect, it } from 'vitest';
import { admin, application, argocdPath, objects, writes } from '../../../test/e2e/look.ts';
import { type Bench, bench, deployOn, platformOf } from '../../../test/harness.ts';
import { connectWorld } from './connect-world.ts';
import { nonceAnnotation } from './parse-application.ts';

const never = new AbortController().signal;
const platform = platformOf(`apiVersion: tiphys.dev/v1
kind: Platform
name: one
root: one-root
stacks: { s: { apps: { web: {} } } }
`);
const request = { operationId: 'web/9', runId: 'deploy-9' };
const byAlice = { operation: { initiatedBy: { username: 'alice' }, sync: {} } };

describe('Argo CD through its objects', () => {
  it('starts an operation once, and never over another one', async () => {
    const on = await deployed();
    expect(await on.time.run(on.world.argocd.sync('web', request, never))).toBe('accepted');
    expect(await on.time.run(on.world.argocd.sync('web', { ...request, operationId: 'web/10' }, never))).toBe('busy');
    expect(await on.time.run(on.world.argocd.sync('nobody', request, never))).toBe('missing');
    on.close();
  });

  it('counts who stands in line: operations not begun, and comparisons not made', async () => {
    const on = await deployed();
    const { line } = on.world.argocd;
    const inLine = (): number[] => [line('operations').length, line('comparisons').length];
    await on.world.argocd.sync('web', request, never);
    await on.world.argocd.refresh('one-root', 'nonce', never);
    expect(inLine()).toEqual([1, 1]);
    await on.time.run(on.time.sleep(10_000));
    expect(inLine()).toEqual([0, 0]);
    // Both were answered within a moment.
    for (const queue of ['operations', 'comparisons'] as const) {
      expect(line(queue).tookMs).toBeGreaterThan(0);
      expect(line(queue).tookMs).toBeLessThan(200);
    }
    on.close();
  });

  it('loses the race against somebody whose operation the watch has not shown yet', async () => {
    const on = await deployed();
    await admin(on, 'PATCH', `${argocdPath}/applications/web`, byAlice);
    // Not one turn of the clock in between: the watch still shows the state before.
    const answer = await on.world.argocd.sync('web', request, never);
    expect(['changed', 'busy']).toContain(answer);
    expect(application(on, 'web')?.['operation']).toMatchObject({ initiatedBy: { username: 'alice' } });
    on.close();
  });

  it('takes back its own operation and nobody else’s', async () => {
    const on = await deployed();
    await on.time.run(on.world.argocd.sync('web', request, never));
    await on.world.argocd.withdraw('web', 'web/other', never);
    expect(application(on, 'web')?.['operation']).toBeDefined();
    await on.world.argocd.withdraw('web', 'web/9', never);
    expect(application(on, 'web')?.['operation']).toBeUndefined();
    on.close();
  });

  it('ends its own operation and nobody else’s', async () => {
    const on = await deployed();
    await on.time.run(on.world.argocd.sync('web', request, never));
    for (let turns = 0; phaseOf(on) !== 'Running' && turns < 100; turns++) await on.time.run(on.time.sleep(10));
    await on.world.argocd.terminate('web', 'web/other', never);
    expect(phaseOf(on)).toBe('Running');
    await on.world.argocd.terminate('web', 'web/9', never);
    expect(phaseOf(on)).toBe('Terminating');
    on.close();
  });

  it('holds by a window, writes nothing when it is there already, and knows when the project is gone', async () => {
    const on = await deployed();
    const hold = (names: string[], project = 'default') => on.time.run(on.world.argocd.hold(project, names, never));
    expect(await hold(['web'])).toBe('changed');
    const before = writes(on).length;
    expect(await hold(['web'])).toBe('unchanged');
    expect(writes(on, before)).toEqual([]);
    expect(await on.time.run(on.world.argocd.projects(never))).toContainEqual({ name: 'default', held: ['web'] });
    expect(await hold([])).toBe('changed');
    expect(await hold(['web'], 'nobody')).toBe('missing');
    on.close();
  });

  it('adds the cascade finalizer once, beside those of others', async () => {
    const on = await deployed();
    await admin(on, 'PATCH', `${argocdPath}/applications/web`, { metadata: { finalizers: ['example.com/theirs'] } });
    await on.time.run(on.time.sleep(1_000));
    await on.time.run(on.world.argocd.cascade('web', never));
    await on.time.run(on.world.argocd.cascade('web', never));
    expect(application(on, 'web')?.metadata.finalizers).toEqual([
      'example.com/theirs',
      'resources-finalizer.argocd.argoproj.io',
    ]);
    on.close();
  });

  it('deletes by uid, and is content when it is gone already', async () => {
    const on = await deployed();
    await on.time.run(on.world.argocd.delete('web', never));
    await on.time.run(on.world.argocd.delete('nobody', never));
    const sent = writes(on).find(({ method, resource }) => method === 'DELETE' && resource?.name === 'web');
    expect(sent?.body).toMatchObject({ propagationPolicy: 'Background', preconditions: { uid: expect.any(String) } });
    expect(objects(on).has('Application argocd/web')).toBe(false);
    on.close();
  });

  it('says that a comparison was asked for, or that there is nothing to compare', async () => {
    const on = await deployed();
    expect(await on.world.argocd.refresh('web', 'n1', never)).toBe('asked');
    expect(on.world.argocd.application('web')?.refreshRequested).toBe(true);
    expect(await on.world.argocd.refresh('nobody', 'n1', never)).toBe('missing');
    on.close();
  });
});

describe('a request that the API server could not merge, because so many wrote at once', () => {
  it('is made again: an answer of 409 is no request that was taken', async () => {
    const on = await deployed();
    let conflicts = 3;
    const { argocd } = connectWorld({
      transport: (request) => {
        const isMeant = request.method === 'PATCH' && request.path.includes('/applications/web');
        if (!isMeant || conflicts === 0) return on.sandbox.handle(request);
        conflicts -= 1;
        return Promise.resolve({ status: 409, headers: {}, body: said({ kind: 'Status', reason: 'Conflict' }) });
      },
      clock: on.time,
      platform: 'one',
      argocdNamespace: 'argocd',
      newId: () => 'id',
      random: () => 0.5,
      signal: never,
    });
    await on.time.run(argocd.observe(never));
    expect(await on.time.run(argocd.refresh('web', 'n1', never))).toBe('asked');
    expect(conflicts).toBe(0);
    expect(objects(on).get('Application argocd/web')?.metadata.annotations).toMatchObject({ [nonceAnnotation]: 'n1' });
    on.close();
  });
});

async function* said(body: object): AsyncGenerator<Uint8Array> {
  yield Buffer.from(JSON.stringify(body));
}

async function deployed(): Promise<Bench> {
  const on = bench(platform);
  expect((await deployOn(on)).run.exitCode).toBe(0);
  return on;
}

function phaseOf(on: Bench): string | undefined {
  const status = application(on, 'web')?.['status'] as { operationState?: { phase: string } } | undefined;
  return status?.operationState?.phase;
}
