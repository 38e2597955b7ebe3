import { heldIn, windowsOf } from '../../src/adapters/argocd/hold-window.ts';
import { nodeGraph } from '../../src/core/platform/node-graph.ts';
import type { RunEvent } from '../../src/core/run/events.ts';
import type { KubeObject } from '../../src/sandbox/store/objects.ts';
import type { Content } from '../../src/sandbox/world/git.ts';
import { type Bench, type Played, teardownOn } from '../harness.ts';
import { embedded, type SimulatedEngine, throughWorkflows, writesOf } from './engines.ts';
import { type Case as Drawn, randomCase } from './random-case.ts';
import { trace } from './trace.ts';
import { blindArgoCd, breakWorkload } from './trouble.ts';
import { type Witness, watchCluster } from './witness.ts';

/** Plays one case and returns every invariant it broke, judged from the cluster's record. */
export async function simulate(seed: number, engineName: SimulatedEngine['name']): Promise<readonly string[]> {
  const drawn = randomCase(seed);
  const played = { ...drawn, engine: engineName === 'embedded' ? embedded : throughWorkflows(drawn.dag, seed) };
  const on = played.engine.open(played);
  const witness = watchCluster(on.sandbox, played.platform);
  const broken: string[] = [];
  try {
    const firstEnd = await firstRun(on, played, witness);
    if (firstEnd === undefined) await resumeAfterKill(on, played, witness, broken);
    else judgeEnd(on, played, firstEnd, { broken, witness });
    await waitAndLookAgain(on, played, broken);
    await mendAndFinish(on, played, { broken, witness });
    if (played.upgrade.length > 0 && broken.length === 0) await upgrade(on, played, witness, broken);
    if (played.teardown) await takeDown(on, played, witness, broken);
  } catch (error) {
    broken.push(`threw: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  } finally {
    on.close();
  }
  return [...broken, ...witness.violations];
}

type Case = Drawn & { readonly engine: SimulatedEngine };

class Killed extends Error {}

/** Undefined: the executor was killed in the middle. A killed process says nothing more, so the stream is simply abandoned. */
async function firstRun(on: Bench, played: Case, witness: Witness): Promise<Played | undefined> {
  const executor = played.engine.executor(on, played.seed + 7);
  let count = 0;
  let disturbed = false;
  const onEvent = (_event: RunEvent): void => {
    count++;
    trace(_event);
    if (played.restartAfter.includes(count)) on.sandbox.restartArgoCd();
    if (!disturbed && played.trouble !== undefined && count >= played.trouble.after)
      disturbed = disturb(on, played, witness);
    if (count === played.killAfter) {
      executor.kill();
      throw new Killed();
    }
  };
  try {
    return await played.engine.deploy(
      { ...on, world: executor.world },
      { order: played.order, parallelism: played.parallelism },
      onEvent,
    );
  } catch (error) {
    if (error instanceof Killed) return undefined;
    throw error;
  }
}

/** Breaks an app that is well while others, not started yet, still wait for it. Returns whether it did. */
function disturb(on: Bench, played: Case, witness: Witness): boolean {
  const { graph, kindOf } = nodeGraph(played.platform);
  const waits = (name: string): boolean =>
    (witness.syncs.get(played.platform.apps.get(name)?.application ?? '') ?? 0) === 0;
  const victim = [...played.platform.apps.values()].find(
    (app) =>
      [...graph].some(([name, needs]) => needs.has(app.name) && kindOf(name, app.name) === 'hard' && waits(name)) &&
      isSettled(on, app.application),
  );
  if (victim === undefined) return false;
  if (played.trouble?.isBlind === true) blindArgoCd(on.sandbox, played.platform.environment.argocdNamespace);
  if (!breakWorkload(on.sandbox, victim.application)) return false;
  witness.excuse(victim.name);
  return true;
}

/** R2.3: the next run continues and redoes nothing that was done. */
async function resumeAfterKill(on: Bench, played: Case, witness: Witness, broken: string[]): Promise<void> {
  // A dead run's lease must run out first.
  await on.time.run(on.time.sleep(45_000));
  const done = [...played.platform.apps.values()].filter(
    (app) => on.sandbox.truth(app.application).healthy && isSettled(on, app.application),
  );
  const before = new Map(done.map((app) => [app.application, witness.ownSyncs.get(app.application) ?? 0]));
  const end = await played.engine.resume(on, { order: played.order, parallelism: played.parallelism }, trace);
  for (const [application, count] of before) {
    if ((witness.ownSyncs.get(application) ?? 0) > count)
      broken.push(`R2.3: ${application} was done before the resume and was synced again`);
  }
  judgeEnd(on, played, end, { broken, witness });
}

/** Argo CD's record agrees that it is done: no operation under way, Synced, Healthy. */
function isSettled(on: Bench, application: string): boolean {
  const status = statusOf(on, application);
  return (
    status?.sync?.status === 'Synced' &&
    status.health?.status === 'Healthy' &&
    status.operation === undefined &&
    status.operationState?.phase === 'Succeeded' &&
    (status.operationState.operation?.sync?.resources ?? []).length === 0
  );
}

interface StatusView {
  readonly sync?: { status?: string };
  readonly health?: { status?: string };
  readonly operation?: unknown;
  readonly operationState?: { phase?: string; operation?: { sync?: { resources?: unknown[] } } };
}

function statusOf(on: Bench, application: string): StatusView | undefined {
  const type = on.sandbox.types.byPlural('argoproj.io', 'applications');
  const object =
    type === undefined ? undefined : on.sandbox.store.get(type, on.platform.environment.argocdNamespace, application);
  return object === undefined ? undefined : { ...(object['status'] as StatusView), operation: object['operation'] };
}

interface Judging {
  readonly broken: string[];
  readonly witness: Witness;
}

/** What the run says of itself against what is true, and INV-4. */
function judgeEnd(on: Bench, played: Case, { run }: Played, { broken, witness }: Judging): void {
  const { graph, kindOf } = nodeGraph(played.platform);
  for (const app of played.platform.apps.values()) {
    const node = run.nodes.get(app.name);
    const truth = on.sandbox.truth(app.application);
    if ((node?.state === 'healthy' || node?.state === 'skipped') && !truth.healthy && !witness.isBroken(app.name))
      broken.push(`INV-4: ${app.name} is reported ${node.state} but ${truth.why}`);
    if (node === undefined || node.state === 'pending' || node.state === 'running')
      broken.push(`${app.name} was left ${node?.state ?? 'unmentioned'} by a run that came to its end`);
    const failedNeed = [...(graph.get(app.name) ?? [])].find(
      (need) => kindOf(app.name, need) !== 'soft' && ['failed', 'blocked'].includes(run.nodes.get(need)?.state ?? ''),
    );
    if (failedNeed !== undefined && node?.state !== 'blocked')
      broken.push(`INV-4: ${app.name} is ${node?.state} although ${failedNeed} failed`);
  }
  const faulty = played.faults.some((fault) => fault.times === undefined);
  if (run.outcome === 'success' && run.exitCode !== 0) broken.push('success with an exit code other than 0');
  if (!faulty && run.exitCode !== 0)
    broken.push(
      `no lasting fault, but the run ended ${run.outcome} (${[...run.nodes.values()]
        .filter((node) => node.state === 'failed')
        .map((node) => `${node.name}: ${node.because}`)
        .join('; ')})`,
    );
  if (run.exitCode === 0) judgeHold(on, played, broken);
}

/** The hold never leaks: after a success no window of ours is left. */
function judgeHold(on: Bench, played: Case, broken: string[]): void {
  const held = heldNames(on, played);
  if (held.length > 0) broken.push(`hold leaked: ${held.join(', ')} still held after a success`);
}

function heldNames(on: Bench, played: Case): string[] {
  const type = on.sandbox.types.byPlural('argoproj.io', 'appprojects');
  if (type === undefined) return [];
  return [
    ...new Set(on.sandbox.store.list(type).flatMap((project) => heldIn(windowsOf(project), played.platform.name))),
  ];
}

/** INV-4, later: what was blocked must not be started by Argo CD's own automation, however long nobody looks. */
async function waitAndLookAgain(on: Bench, played: Case, broken: string[]): Promise<void> {
  const before = new Set(
    [...played.platform.apps.values()]
      .filter((app) => (statusOf(on, app.application)?.operationState ?? undefined) !== undefined)
      .map((app) => app.application),
  );
  await on.time.run(on.time.sleep(10 * 60_000));
  for (const app of played.platform.apps.values()) {
    if (!before.has(app.application) && statusOf(on, app.application)?.operationState !== undefined)
      broken.push(`INV-4: ${app.name} was started after the run, while nobody looked`);
  }
}

/** The fault is mended: the next run finishes, and the one after it writes nothing (INV-6). */
async function mendAndFinish(on: Bench, played: Case, { broken, witness }: Judging): Promise<void> {
  for (const fault of played.faults) on.sandbox.fix(fault.app);
  // Whoever mends a workload waits until it has recovered before deploying again.
  if (played.faults.length > 0) await on.time.run(on.time.sleep(3 * 60_000));
  const healed = await played.engine.deploy(on, {}, trace);
  if (healed.run.exitCode !== 0) {
    broken.push(
      `after the fault was mended the run ended ${healed.run.outcome}: ${[...healed.run.nodes.values()]
        .filter((node) => node.state === 'failed')
        .map((node) => `${node.name}: ${node.because}`)
        .join('; ')}`,
    );
    return;
  }
  judgeEnd(on, { ...played, faults: [] }, healed, { broken, witness });
  await on.time.run(on.time.sleep(5 * 60_000));
  const writes = writesOf(on).length;
  const again = await played.engine.deploy(on, {}, trace);
  const more = writesOf(on).slice(writes);
  if (again.run.exitCode !== 0 || more.length > 0)
    broken.push(
      `INV-6: a deploy of a deployed platform wrote ${more.map((request) => `${request.method} ${request.path}`).join(', ')} (${again.run.outcome})`,
    );
}

/** A new commit, and the environment pins it: every app it changes goes through its gate again, in order. */
async function upgrade(on: Bench, played: Case, witness: Witness, broken: string[]): Promise<void> {
  witness.expectUpgrade();
  const { git } = on.sandbox.world;
  const commit = git.commit(
    new Map(played.upgrade.map((name) => [pathOf(on, name), changed(git.read(pathOf(on, name), git.head))])),
  );
  // Pinned, or with something else to do: then the run finds the new commit by itself.
  const leaf = [...played.platform.apps.values()].at(-1);
  const isUnpinned = played.seed % 3 === 0 && leaf !== undefined && breakWorkload(on.sandbox, leaf.application);
  if (isUnpinned) witness.excuse(leaf.name);
  const gitRevision = isUnpinned ? played.platform.environment.gitRevision : commit;
  const platform = { ...played.platform, environment: { ...played.platform.environment, gitRevision } };
  const end = await played.engine.deploy(
    { ...on, platform },
    { order: played.order, parallelism: played.parallelism },
    trace,
  );
  if (end.run.exitCode !== 0)
    broken.push(
      `the upgrade ended ${end.run.outcome}: ${[...end.run.nodes.values()]
        .filter((node) => node.state === 'failed')
        .map((node) => `${node.name}: ${node.because}`)
        .join('; ')}`,
    );
  else judgeEnd(on, { ...played, faults: [] }, end, { broken, witness });
}

function pathOf(on: Bench, name: string): string {
  const type = on.sandbox.types.byPlural('argoproj.io', 'applications');
  const application = on.platform.apps.get(name)?.application ?? name;
  const object =
    type === undefined ? undefined : on.sandbox.store.get(type, on.platform.environment.argocdNamespace, application);
  return (object?.['spec'] as { source?: { path?: string } } | undefined)?.source?.path ?? '';
}

/** The same objects with another spec: every workload among them has to become ready again. */
function changed(content: Content): readonly KubeObject[] {
  if ('error' in content) throw new Error(content.error);
  return content.objects.map((object) => {
    if (object.kind === 'CustomResourceDefinition' || object.kind === 'Namespace') return object;
    if (object.kind === 'Deployment' || object.kind === 'StatefulSet')
      return { ...object, spec: { ...(object['spec'] as object), minReadySeconds: 1 } };
    const field = object['spec'] === undefined ? 'data' : 'spec';
    return object[field] === undefined || object.kind === 'PersistentVolumeClaim' || object.kind === 'Service'
      ? object
      : { ...object, [field]: { ...(object[field] as object), upgraded: 'yes' } };
  });
}

async function takeDown(on: Bench, played: Case, witness: Witness, broken: string[]): Promise<void> {
  witness.expectRemoval();
  const down = await teardownOn(on, { stateful: 'all', includeCrds: true, pvPolicy: 'delete' }, undefined, trace);
  if (down.run.exitCode !== 0)
    broken.push(
      `teardown ended ${down.run.outcome}: ${[...down.run.nodes.values()]
        .filter((node) => node.because !== undefined)
        .map((node) => `${node.name}: ${node.because}`)
        .join('; ')} ${JSON.stringify(down.run.orphans)}`,
    );
  const left = remains(on, played);
  if (left.length > 0) broken.push(`R2.4: left after teardown: ${left.join(', ')}`);
  const writes = writesOf(on).length;
  const again = await teardownOn(on, {}, undefined, trace);
  const more = writesOf(on).slice(writes);
  if (again.run.exitCode !== 0 || more.length > 0)
    broken.push(`INV-6: teardown of a removed platform wrote ${more.length} times (${again.run.outcome})`);
}

/** Applications, their AppProjects, windows, and objects that carry an app's mark. */
function remains(on: Bench, played: Case): string[] {
  const left: string[] = heldNames(on, played).map((name) => `hold of ${name}`);
  for (const type of on.sandbox.types.all()) {
    for (const object of on.sandbox.store.list(type)) {
      const tracked = object.metadata.annotations?.['argocd.argoproj.io/tracking-id'];
      if (object.kind === 'Application' || tracked !== undefined) left.push(`${object.kind} ${object.metadata.name}`);
    }
  }
  return left;
}
