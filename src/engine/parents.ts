import type { ObservedApplication } from '../core/plan/observed.ts';
import type { Platform } from '../core/platform/platform.ts';
import { barrier } from './barrier.ts';
import type { Emit } from './event-queue.ts';
import type { Hold } from './hold.ts';
import { operate } from './operation.ts';
import type { World } from './ports.ts';

/** Makes Applications appear when it is their turn: a missing child is created by a selective sync of its parent. */
export interface Parents {
  /** undefined when the Application is there; else why it could not be had. */
  ensure(application: string, deadline: number, signal: AbortSignal): Promise<Failure | undefined>;
}

export interface Failure {
  readonly because: string;
  readonly hint: string;
}

export interface ParentsOptions {
  readonly platform: Platform;
  readonly runId: string;
  readonly hold: Hold;
}

/** Application → the Application whose Git path holds it; undefined at the top. */
export function parentOf(platform: Platform, application: string): string | undefined {
  if (application === platform.root) return undefined;
  for (const stack of platform.stacks.values()) {
    if (stack.application === application) return platform.root;
    if (stack.apps.some((name) => platform.apps.get(name)?.application === application))
      return stack.application ?? platform.root;
  }
  return undefined;
}

export function createParents(world: World, emit: Emit, options: ParentsOptions): Parents {
  const batches = new Map<string, Batch>();
  const prepared = new Map<string, Promise<Failure | undefined>>();

  async function ensure(application: string, deadline: number, signal: AbortSignal): Promise<Failure | undefined> {
    if (world.argocd.application(application) !== undefined) return undefined;
    const parent = parentOf(options.platform, application);
    if (parent === undefined) return missingTop(options.platform, application);
    const above = await ensure(parent, deadline, signal);
    if (above !== undefined) return above;
    const ready = prepared.get(parent) ?? prepare(world, emit, { ...options, parent, deadline }, signal);
    prepared.set(parent, ready);
    const failure = await ready;
    if (failure !== undefined) {
      prepared.delete(parent);
      return failure;
    }
    return join(parent, application, deadline, signal);
  }

  /** A parent takes one operation at a time: children that become ready together go in one batch. */
  async function join(
    parent: string,
    child: string,
    deadline: number,
    signal: AbortSignal,
  ): Promise<Failure | undefined> {
    const batch = batches.get(parent) ?? { children: new Set<string>(), done: undefined };
    batches.set(parent, batch);
    batch.children.add(child);
    batch.done ??= runBatch(parent, batch, deadline, signal);
    const failure = await batch.done;
    if (failure !== undefined) return failure;
    return waitForChild(world, parent, child, deadline, signal);
  }

  async function runBatch(
    parent: string,
    batch: Batch,
    deadline: number,
    signal: AbortSignal,
  ): Promise<Failure | undefined> {
    await previous.get(parent);
    // One breath, so that siblings whose last need was the same come along.
    await world.clock.sleep(1, signal);
    batches.delete(parent);
    const work = createChildren(
      world,
      emit,
      { parent, children: [...batch.children].sort(), runId: options.runId, deadline },
      signal,
    );
    previous.set(
      parent,
      work.then(
        () => undefined,
        () => undefined,
      ),
    );
    return work;
  }

  const previous = new Map<string, Promise<void>>();
  return { ensure };
}

interface Batch {
  readonly children: Set<string>;
  done: Promise<Failure | undefined> | undefined;
}

/** Brings the parent's own objects (AppProjects above all) in place and the hold on them, before any child can appear under them. */
async function prepare(
  world: World,
  emit: Emit,
  order: ParentsOptions & { parent: string; deadline: number },
  signal: AbortSignal,
): Promise<Failure | undefined> {
  const seen = await compared(world, order.parent, order.deadline, signal);
  if ('because' in seen) return seen;
  const own = seen.resources.filter(
    (object) => object.sync !== 'Synced' && !object.hook && !object.prune && object.kind !== 'Application',
  );
  // An AppProject that exists differs only by our window, and syncing it would take the window away.
  const there = new Set((await world.argocd.projects(signal)).map(({ name }) => name));
  const missing = own.filter((object) => object.kind !== 'AppProject' || !there.has(object.name));
  if (missing.length > 0) {
    const result = await operate(
      world,
      emit,
      {
        node: order.parent,
        application: order.parent,
        runId: order.runId,
        deadline: order.deadline,
        resources: missing,
      },
      signal,
    );
    if (result.ended !== 'succeeded')
      return { because: `${order.parent} could not create its AppProjects: ${result.because}`, hint: result.hint };
  }
  await order.hold.cover(signal);
  return undefined;
}

/** The parent's status.resources names its children even before they exist, once it has been compared. */
async function compared(
  world: World,
  parent: string,
  deadline: number,
  signal: AbortSignal,
): Promise<ObservedApplication | Failure> {
  const answer = await barrier(world, parent, deadline, signal);
  const seen = world.argocd.application(parent);
  if (seen === undefined || 'missing' in answer)
    return {
      because: `its parent Application ${parent} disappeared`,
      hint: 'Create it again, then run the same command.',
    };
  if ('timedOut' in answer)
    return {
      because: `Argo CD did not compare ${parent} with Git in time`,
      hint: 'Is the Argo CD application controller running?',
    };
  const error = seen.conditions.find(({ type }) => type.endsWith('Error'));
  if (error === undefined) return seen;
  return {
    because: `its parent ${parent} cannot be compared with Git: ${error.type}: ${error.message}`,
    hint: 'Check repository, revision and path of the parent Application.',
  };
}

async function createChildren(
  world: World,
  emit: Emit,
  order: { parent: string; children: readonly string[]; runId: string; deadline: number },
  signal: AbortSignal,
): Promise<Failure | undefined> {
  const listed = await listedChildren(world, order, signal);
  if ('because' in listed) return listed;
  const resources = listed.found;
  if (resources.length === 0) return undefined;
  const result = await operate(
    world,
    emit,
    { node: order.parent, application: order.parent, runId: order.runId, deadline: order.deadline, resources },
    signal,
  );
  return result.ended === 'succeeded'
    ? undefined
    : { because: `its parent ${order.parent} could not create it: ${result.because}`, hint: result.hint };
}

async function listedChildren(
  world: World,
  order: { parent: string; children: readonly string[]; deadline: number },
  signal: AbortSignal,
): Promise<{ found: ObservedApplication['resources'] } | Failure> {
  const find = (seen: ObservedApplication | undefined): ObservedApplication['resources'] =>
    (seen?.resources ?? []).filter((object) => object.kind === 'Application' && order.children.includes(object.name));
  const known = find(world.argocd.application(order.parent));
  if (known.length === order.children.length) return { found: known };
  const fresh = await compared(world, order.parent, order.deadline, signal);
  return 'because' in fresh ? fresh : { found: find(fresh) };
}

async function waitForChild(
  world: World,
  parent: string,
  child: string,
  deadline: number,
  signal: AbortSignal,
): Promise<Failure | undefined> {
  const listed =
    world.argocd
      .application(parent)
      ?.resources.some((object) => object.kind === 'Application' && object.name === child) ?? false;
  if (!listed) {
    return {
      because: `Git holds no Application ${child} under its parent ${parent}`,
      hint: `Add it to the path of ${parent}, or correct \`application\` in dag.yaml.`,
    };
  }
  while (world.argocd.application(child) === undefined) {
    if (world.clock.now() >= deadline)
      return {
        because: `its Application did not appear although ${parent} was synced`,
        hint: `Look at ${parent} in Argo CD.`,
      };
    await world.argocd.changed(child, deadline, signal);
  }
  return undefined;
}

function missingTop(platform: Platform, application: string): Failure {
  const what = application === platform.root ? 'the root Application' : 'an Application without a parent in dag.yaml';
  return {
    because: `${application}, ${what}, is not in the cluster`,
    hint: `Create it with \`tiphys bootstrap\`, or apply its manifest while a deny sync window of its AppProject names it, so that Argo CD does not start everything at once.`,
  };
}
