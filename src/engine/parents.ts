import type { Plan } from '../core/plan/plan.ts';
import { appOf } from '../core/platform/node-name.ts';
import type { Platform } from '../core/platform/platform.ts';
import { batchChildren } from './batch-children.ts';
import { type Company, createCompany, waitWithin } from './company.ts';
import { type Failure, overdue } from './create-children.ts';
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

interface Preparation {
  readonly ready: Promise<Failure | undefined>;
  readonly deadline: number;
  readonly company: Company;
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

/**
 * Who brings the AppProjects to which these belong, with those above: where Git has windows for an AppProject, its Application heals ours
 * away as soon as it is not held itself, and so does who brings the AppProject of that one. One that is not there yet may belong to any.
 */
export function managersOf(world: World, platform: Platform, applications: Iterable<string>): ReadonlySet<string> {
  const all = [...parentsOf(platform), ...[...platform.apps.values()].map(({ application }) => application)];
  const managers = new Set<string>();
  for (let open = [...applications]; open.length > 0; ) {
    const projects = new Set(open.map((name) => world.argocd.application(name)?.project));
    const isMeant = (project: string): boolean => projects.has(undefined) || projects.has(project);
    const bringing = all.filter((name) =>
      world.argocd.application(name)?.resources.some(({ kind, name: own }) => kind === 'AppProject' && isMeant(own)),
    );
    open = bringing.flatMap((name) => withThoseAbove(platform, name)).filter((name) => !managers.has(name));
    for (const name of open) managers.add(name);
  }
  return managers;
}

/**
 * Of those the parents: what a run has to hold with these; undefined: with whatever may belong anywhere. An app that is no business of a
 * run would stay held after it, because nothing says that it is well.
 */
export function managingParents(
  world: World,
  platform: Platform,
  applications: Iterable<string> | undefined,
): readonly string[] {
  const managers = managersOf(world, platform, applications ?? [anywhere]);
  return parentsOf(platform).filter((name) => managers.has(name));
}

/** The name of no Application. */
const anywhere = '';

/** An Application and every parent above it. */
export function withThoseAbove(platform: Platform, application: string): readonly string[] {
  const above = parentOf(platform, application);
  return above === undefined ? [application] : [application, ...withThoseAbove(platform, above)];
}

export function createParents(world: World, emit: Emit, options: ParentsOptions): Parents {
  const prepared = new Map<string, Preparation>();
  const making = new Map<string, Promise<unknown>>();
  /** Made by this run, and not looked at yet. */
  const fresh = new Set<string>();
  const { join, settled } = batchChildren(world, emit, options);
  const afterFirst = letFirstGo(world, options, ensure);

  async function ensure(application: string, deadline: number, signal: AbortSignal): Promise<Failure | undefined> {
    // Somebody may have asked for it before its turn; what came of that is told only if it fails again.
    const earlier = making.get(application);
    if (earlier !== undefined && (await waitWithin(world.clock, earlier, { deadline, signal })) === 'late')
      return overdue(parentOf(options.platform, application) ?? application);
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

  async function prepare(parent: string, deadline: number, signal: AbortSignal): Promise<Failure | undefined> {
    const shared = prepared.get(parent) ?? beginToPrepare(parent, deadline);
    prepared.set(parent, shared);
    shared.company.join(signal);
    const failure = await waitWithin(world.clock, shared.ready, { deadline, signal });
    if (failure === 'late') return overdue(parent);
    // Somebody who had less time has tried.
    return failure !== undefined && shared.deadline < deadline ? prepare(parent, deadline, signal) : failure;
  }

  function beginToPrepare(parent: string, deadline: number): Preparation {
    const company = createCompany();
    const order = { ...options, parent, isNew: fresh.delete(parent), deadline };
    const ready = prepareParent(world, emit, order, company.signal);
    // Whoever comes after a failure tries again.
    const forget = (): unknown => prepared.delete(parent);
    void ready.then((failure) => failure && forget(), forget);
    return { ready, deadline, company };
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

/** Longer than an operation of a busy Argo CD takes that brings one object. */
const firstPatienceMs = 10_000;

/** For a sibling of the first: waits until that one is there. Once, and not for long: it is told, and tried again, when it is needed itself. */
function letFirstGo(world: World, { platform, first }: ParentsOptions, ensure: Parents['ensure']) {
  let tried: Promise<void> | undefined;

  async function tryFirst(name: string, deadline: number, signal: AbortSignal): Promise<void> {
    const patience = { deadline: world.clock.now() + firstPatienceMs, signal };
    await waitWithin(world.clock, ensure(name, deadline, signal), patience).catch(() => undefined);
  }

  return async (application: string, deadline: number, signal: AbortSignal): Promise<undefined> => {
    const isSibling = first !== undefined && parentOf(platform, first) === parentOf(platform, application);
    if (!isSibling || first === application) return;
    tried ??= tryFirst(first, deadline, signal);
    await tried;
  };
}

function missingTop(platform: Platform, application: string): Failure {
  const what = application === platform.root ? 'the root Application' : 'an Application without a parent in dag.yaml';
  return {
    because: `${application}, ${what}, is not in the cluster`,
    hint: `Apply its manifest while a deny sync window of its AppProject names it, so that Argo CD does not start everything at once; the README shows how, under “A real cluster”.`,
  };
}
