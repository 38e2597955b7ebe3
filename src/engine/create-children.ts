import type { ObservedApplication } from '../core/plan/observed.ts';
import { isApplication } from '../core/platform/application-name.ts';
import { barrier, firstComparison } from './barrier.ts';
import type { Emit } from './event-queue.ts';
import { operate } from './operation.ts';
import type { World } from './ports.ts';

export interface Failure {
  readonly because: string;
  readonly hint: string;
}

export interface ChildrenOrder {
  readonly parent: string;
  readonly children: readonly string[];
  readonly runId: string;
  readonly deadline: number;
}

/** One selective sync of the parent that creates exactly these children. */
export async function createChildren(
  world: World,
  emit: Emit,
  order: ChildrenOrder,
  signal: AbortSignal,
): Promise<Failure | undefined> {
  const listed = await listedChildren(world, order, signal);
  if ('because' in listed) return listed;
  if (listed.length === 0) return undefined;
  const { parent, runId, deadline } = order;
  const result = await operate(
    world,
    emit,
    { node: parent, application: parent, runId, deadline, resources: listed },
    signal,
  );
  if (result.ended === 'succeeded') return undefined;
  return { because: `its parent ${parent} could not create it: ${result.because}`, hint: result.hint };
}

export interface ChildOrder {
  readonly parent: string;
  readonly child: string;
  readonly deadline: number;
}

/** Until the watch shows it, or the signal is aborted. */
export async function untilAppeared(world: World, child: string, signal: AbortSignal): Promise<void> {
  while (world.argocd.application(child) === undefined)
    await world.argocd.changed(child, Number.POSITIVE_INFINITY, signal);
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
  };
}

function notMade(child: string, sets: readonly string[]): Failure {
  return {
    because: `no ApplicationSet made an Application ${child} (looked at ${sets.join(', ')})`,
    hint: 'Is the ApplicationSet controller running, and do generator and template give this name? Its conditions tell.',
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
    };
  }
  const error = seen.conditions.find(({ type }) => type.endsWith('Error'));
  if (error === undefined) return seen;
  return {
    because: `its parent ${parent} cannot be compared with Git: ${error.type}: ${error.message}`,
    hint: 'Check repository, revision and path of the parent Application.',
  };
}

async function listedChildren(
  world: World,
  order: ChildrenOrder,
  signal: AbortSignal,
): Promise<ObservedApplication['resources'] | Failure> {
  const known = childrenIn(world.argocd.application(order.parent), order.children);
  if (known.length === order.children.length) return known;
  const fresh = await comparedParent(world, order, signal);
  return 'because' in fresh ? fresh : childrenIn(fresh, order.children);
}

function childrenIn(
  parent: ObservedApplication | undefined,
  names: readonly string[],
): ObservedApplication['resources'] {
  return (parent?.resources ?? []).filter((object) => names.some((name) => isApplication(object, name)));
}
