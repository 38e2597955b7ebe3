import type { ObservedApplication } from '../core/plan/observed.ts';
import { isApplication } from '../core/platform/application-name.ts';
import { barrier, firstComparison } from './barrier.ts';
import type { Emit } from './event-queue.ts';
import { operate } from './operation.ts';
import type { World } from './ports.ts';

export interface Failure {
  readonly because: string;
  readonly hint: string;
  /** Another attempt would wait as long, and in vain. */
  readonly timedOut?: true;
}

export const tooLate = { timedOut: true } as const;

/** For a child whose time was over before that of others who wait for the same parent. */
export function overdue(parent: string): Failure {
  return {
    because: `its parent ${parent} did not bring it in time`,
    hint: `Look at ${parent} in Argo CD: its operation or its comparison waits for something.`,
    ...tooLate,
  };
}

export interface ChildrenOrder {
  readonly parent: string;
  readonly children: readonly string[];
  readonly runId: string;
  readonly deadline: number;
}

/** Child → why it could not be created; those that could are not in it. */
export type Failures = ReadonlyMap<string, Failure>;

/**
 * Selective syncs of the parent that create exactly these children: one for each sync wave that they stand in. In one for several waves Argo CD
 * would wait, before it comes to the next, until those of the first are Healthy, and they are held.
 */
export async function createChildren(
  world: World,
  emit: Emit,
  order: ChildrenOrder,
  signal: AbortSignal,
): Promise<Failures> {
  const { parent, children, runId, deadline } = order;
  const listed = await listedChildren(world, order, signal);
  if ('because' in listed) return new Map(children.map((child) => [child, listed]));
  const failures = new Map<string, Failure>();
  for (const resources of inWaves(listed)) {
    const operation = { node: parent, application: parent, runId, deadline, resources };
    const result = await operate(world, emit, operation, signal);
    if (result.ended === 'succeeded') continue;
    const because = `its parent ${parent} could not create it: ${result.because}`;
    const failure = { because, hint: result.hint, ...(result.ended === 'timed-out' && tooLate) };
    const meant = children.filter((child) => resources.some((object) => isApplication(object, child)));
    for (const child of meant) failures.set(child, failure);
  }
  return failures;
}

/** By sync wave, the first wave first. */
export function inWaves(objects: Resources): readonly Resources[] {
  const waves = new Map<number, Resources>();
  for (const object of objects) {
    const { wave = 0 } = object;
    waves.set(wave, [...(waves.get(wave) ?? []), object]);
  }
  return [...waves].sort(([a], [b]) => a - b).map(([, together]) => together);
}

type Resources = ObservedApplication['resources'];

export interface ChildOrder {
  readonly parent: string;
  readonly child: string;
  readonly deadline: number;
}

/** Until the watch shows it, or its time is over. */
export async function untilAppeared(world: World, { child, deadline }: ChildOrder, signal: AbortSignal): Promise<void> {
  while (world.argocd.application(child) === undefined && world.clock.now() < deadline)
    await world.argocd.changed(child, deadline, signal);
}

/** After its parent was synced: the child is there as soon as the watch shows it, or Git does not hold it. */
export async function waitForChild(
  world: World,
  { parent, child, deadline }: ChildOrder,
  signal: AbortSignal,
): Promise<Failure | undefined> {
  const seen = world.argocd.application(parent);
  const isListed = childrenIn(seen, [child]).length > 0;
  const sets = (seen?.resources ?? []).filter(isApplicationSet).map(({ name }) => name);
  if (!isListed && sets.length === 0) {
    return {
      because: `Git holds no Application ${child} under its parent ${parent}`,
      hint: `Add it to the path of ${parent}, or correct \`application\` in dag.yaml.`,
    };
  }
  while (world.argocd.application(child) === undefined) {
    if (world.clock.now() >= deadline) return isListed ? notAppeared(parent) : notMade(child, sets);
    await world.argocd.changed(child, deadline, signal);
  }
  return undefined;
}

/** It makes Applications by itself as soon as it is there. */
export function isApplicationSet({ kind }: { readonly kind: string }): boolean {
  return kind === 'ApplicationSet';
}

function notAppeared(parent: string): Failure {
  return {
    because: `its Application did not appear although ${parent} was synced`,
    hint: `Look at ${parent} in Argo CD.`,
    ...tooLate,
  };
}

function notMade(child: string, sets: readonly string[]): Failure {
  return {
    because: `no ApplicationSet made an Application ${child} (looked at ${sets.join(', ')})`,
    hint: 'Is the ApplicationSet controller running, and do generator and template give this name? Its conditions tell.',
    ...tooLate,
  };
}

export interface ParentLook {
  readonly parent: string;
  /** It appeared only now. */
  readonly isNew?: boolean;
  readonly deadline: number;
}

/** The parent as a comparison made now sees it; its status.resources names its children even before they exist. */
export async function comparedParent(
  world: World,
  { parent, isNew = false, deadline }: ParentLook,
  signal: AbortSignal,
): Promise<ObservedApplication | Failure> {
  const answer = await (isNew ? firstComparison : barrier)(world, parent, deadline, signal);
  const seen = world.argocd.application(parent);
  if (seen === undefined || 'missing' in answer) {
    return {
      because: `its parent Application ${parent} disappeared`,
      hint: 'Create it again, then run the same command.',
    };
  }
  if ('timedOut' in answer) {
    return {
      because: `Argo CD did not compare ${parent} with Git in time`,
      hint: 'Is the Argo CD application controller running?',
      ...tooLate,
    };
  }
  const error = seen.conditions.find(({ type }) => type.endsWith('Error'));
  if (error === undefined) return seen;
  return {
    because: `its parent ${parent} cannot be compared with Git: ${error.type}: ${error.message}`,
    hint: 'Check repository, revision and path of the parent Application.',
  };
}

async function listedChildren(world: World, order: ChildrenOrder, signal: AbortSignal): Promise<Resources | Failure> {
  const known = childrenIn(world.argocd.application(order.parent), order.children);
  if (known.length === order.children.length) return known;
  const fresh = await comparedParent(world, order, signal);
  return 'because' in fresh ? fresh : childrenIn(fresh, order.children);
}

function childrenIn(parent: ObservedApplication | undefined, names: readonly string[]): Resources {
  return (parent?.resources ?? []).filter((object) => names.some((name) => isApplication(object, name)));
}
