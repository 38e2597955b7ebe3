import type { Plan } from '../core/plan/plan.ts';
import { appOf } from '../core/platform/node-name.ts';
import type { Platform } from '../core/platform/platform.ts';
import {
  type ChildOrder,
  type ChildrenOrder,
  createChildren,
  type Failure,
  untilAppeared,
  waitForChild,
} from './create-children.ts';
import type { Emit } from './event-queue.ts';
import type { Hold } from './hold.ts';
import type { World } from './ports.ts';
import { prepareParent } from './prepare-parent.ts';

/** Makes Applications appear when it is their turn: a missing child is created by a selective sync of its parent. */
export interface Parents {
  /** undefined when the Application is there; else why it could not be had. */
  ensure(application: string, deadline: number, signal: AbortSignal): Promise<Failure | undefined>;
  /**
   * Brings the parents of these in place before the turn of the first of them, so that no app waits for its parent to appear.
   * What goes wrong here is tried again, and told, when a child's turn comes.
   */
  foresee(applications: readonly string[], deadline: number, signal: AbortSignal): Promise<void>;
  /** When no parent is at work for us any more: a child may be there before that. */
  settled(): Promise<void>;
}

export interface ParentsOptions {
  readonly platform: Platform;
  readonly runId: string;
  readonly hold: Hold;
  /**
   * Of the children of one parent, the one that goes before its siblings, in an operation of its own: each object that an operation brings
   * makes it longer.
   */
  readonly first?: string | undefined;
}

/** What the longest path of a plan begins with, and what of it the root makes: a stack, or the app itself. */
export function firstOnPath(platform: Platform, { criticalPath: [node] }: Plan): string | undefined {
  const app = node === undefined ? undefined : platform.apps.get(appOf(node));
  return app && (platform.stacks.get(app.stack)?.application ?? app.application);
}

/** Application → the Application whose Git path holds it; undefined at the top. */
export function parentOf(platform: Platform, application: string): string | undefined {
  if (application === platform.root) return undefined;
  for (const stack of platform.stacks.values()) {
    if (stack.application === application) return platform.root;
    const isIn = stack.apps.some((name) => platform.apps.get(name)?.application === application);
    if (isIn) return stack.application ?? platform.root;
  }
  return undefined;
}

/** All parents of a platform: the stacks' first, the root last. */
export function parentsOf(platform: Platform): readonly string[] {
  const stacks = [...platform.stacks.values()].map((stack) => stack.application).filter((name) => name !== undefined);
  return platform.root === undefined ? stacks : [...stacks, platform.root];
}

/** Longer than an operation of a busy Argo CD takes that brings one object. */
const firstPatienceMs = 10_000;

export function createParents(world: World, emit: Emit, options: ParentsOptions): Parents {
  const prepared = new Map<string, { readonly ready: Promise<Failure | undefined>; readonly deadline: number }>();
  const making = new Map<string, Promise<unknown>>();
  /** Made by this run, and not looked at yet. */
  const fresh = new Set<string>();
  let firstTried: Promise<void> | undefined;
  const { join, settled } = batcher(world, emit, options);

  async function ensure(application: string, deadline: number, signal: AbortSignal): Promise<Failure | undefined> {
    // Somebody may have asked for it before its turn; what came of that is told only if it fails again.
    await making.get(application);
    if (world.argocd.application(application) !== undefined) return undefined;
    const made = make(application, deadline, signal);
    const over = made.catch(() => undefined).then(() => making.delete(application));
    making.set(application, over);
    return made;
  }

  async function make(application: string, deadline: number, signal: AbortSignal): Promise<Failure | undefined> {
    const parent = parentOf(options.platform, application);
    if (parent === undefined) return missingTop(options.platform, application);
    const failure =
      (await ensure(parent, deadline, signal)) ??
      (await prepare(parent, deadline, signal)) ??
      (await afterFirst(application, deadline, signal)) ??
      (await join({ parent, child: application, deadline }, signal));
    if (failure === undefined) fresh.add(application);
    return failure;
  }

  async function afterFirst(application: string, deadline: number, signal: AbortSignal): Promise<undefined> {
    const { platform, first } = options;
    const isSibling = first !== undefined && parentOf(platform, first) === parentOf(platform, application);
    if (!isSibling || first === application) return;
    firstTried ??= tryFirst(first, deadline, signal);
    await firstTried;
  }

  /** Once, and not for long: what comes of the first is told by who needs it, and its siblings do not fail with it. */
  async function tryFirst(first: string, deadline: number, signal: AbortSignal): Promise<void> {
    const over = new AbortController();
    const patience = world.clock.sleep(firstPatienceMs, AbortSignal.any([signal, over.signal]));
    await Promise.race([ensure(first, deadline, signal), patience]).catch(() => undefined);
    over.abort();
  }

  async function prepare(parent: string, deadline: number, signal: AbortSignal): Promise<Failure | undefined> {
    const shared = prepared.get(parent) ?? {
      ready: prepareParent(world, emit, { ...options, parent, isNew: fresh.delete(parent), deadline }, signal),
      deadline,
    };
    prepared.set(parent, shared);
    let failure: Failure | undefined;
    let isReady = false;
    try {
      failure = await shared.ready;
      isReady = failure === undefined;
    } finally {
      // Whoever comes next tries again.
      if (!isReady && prepared.get(parent) === shared) prepared.delete(parent);
    }
    // Somebody who had less time has tried.
    return failure !== undefined && shared.deadline < deadline ? prepare(parent, deadline, signal) : failure;
  }

  async function foresee(applications: readonly string[], deadline: number, signal: AbortSignal): Promise<void> {
    const missing = applications.filter((application) => world.argocd.application(application) === undefined);
    const above = new Set(missing.map((application) => parentOf(options.platform, application)));
    const brought = [...above].map(async (parent) =>
      parent === undefined
        ? undefined
        : ((await ensure(parent, deadline, signal)) ?? (await prepare(parent, deadline, signal))),
    );
    await Promise.allSettled(brought);
  }

  return { ensure, foresee, settled };
}

interface Batch {
  readonly children: Set<string>;
  /** Of whoever has the most time. */
  deadline: number;
  done: Promise<Failure | undefined> | undefined;
}

interface Batcher {
  join(order: ChildOrder, signal: AbortSignal): Promise<Failure | undefined>;
  settled(): Promise<void>;
}

/** A parent takes one operation at a time: children that become ready together go in one batch. */
function batcher(world: World, emit: Emit, { runId, hold }: ParentsOptions): Batcher {
  const open = new Map<string, Batch>();
  const previous = new Map<string, Promise<unknown>>();

  async function runBatch(
    order: Omit<ChildrenOrder, 'children' | 'deadline'>,
    batch: Batch,
    signal: AbortSignal,
  ): Promise<Failure | undefined> {
    try {
      await previous.get(order.parent);
      // One breath, so that siblings whose last need was the same come along.
      await world.clock.sleep(1, signal);
      // An AppProject may have appeared since this parent was prepared, and a child may belong to it.
      await hold.coverNowAndThen(signal);
    } finally {
      // Whoever comes now, also after a failure, is in the next one.
      open.delete(order.parent);
    }
    const { children, deadline } = batch;
    const work = createChildren(world, emit, { ...order, deadline, children: [...children].sort() }, signal);
    // The next batch waits for the end, whatever it is.
    previous.set(order.parent, Promise.allSettled([work]));
    return work;
  }

  return {
    async join(order, signal) {
      const { parent, child, deadline } = order;
      const batch = open.get(parent) ?? { children: new Set<string>(), deadline, done: undefined };
      open.set(parent, batch);
      batch.children.add(child);
      batch.deadline = Math.max(batch.deadline, deadline);
      batch.done ??= runBatch({ parent, runId }, batch, signal);
      return soonest(batch.done, order, signal);
    },
    async settled() {
      await Promise.allSettled([...open.values()].map(async ({ done }) => done));
      await Promise.all(previous.values());
    },
  };

  /** What has appeared is there, also while its parent is still busy with others or with its own record. */
  async function soonest(
    done: Promise<Failure | undefined>,
    order: ChildOrder,
    signal: AbortSignal,
  ): Promise<Failure | undefined> {
    const over = new AbortController();
    const appeared = untilAppeared(world, order.child, AbortSignal.any([signal, over.signal]));
    try {
      await Promise.race([done, appeared]);
    } finally {
      over.abort();
      appeared.catch(() => undefined);
      done.catch(() => undefined);
    }
    if (world.argocd.application(order.child) !== undefined) return undefined;
    return (await done) ?? waitForChild(world, order, signal);
  }
}

function missingTop(platform: Platform, application: string): Failure {
  const what = application === platform.root ? 'the root Application' : 'an Application without a parent in dag.yaml';
  return {
    because: `${application}, ${what}, is not in the cluster`,
    hint: `Apply its manifest while a deny sync window of its AppProject names it, so that Argo CD does not start everything at once; the README shows how, under “A real cluster”.`,
  };
}
