/**
 * A set of fields as Kubernetes writes it in managedFields: `f:` a field, `k:` a list element by its keys, `v:` a value of a set.
 * An empty node is a member; a node with children is one only when it holds `.`.
 */
export interface FieldSet {
  readonly [step: string]: FieldSet;
}

export const member: FieldSet = {};

export const isEmpty = (set: FieldSet): boolean => Object.keys(set).length === 0;

export function union(a: FieldSet, b: FieldSet): FieldSet {
  const joined: Record<string, FieldSet> = { ...a };
  for (const [step, below] of Object.entries(b)) {
    const other = joined[step];
    joined[step] = other === undefined ? below : joinNodes(other, below);
  }
  return joined;
}

/** What is in `a` and not in `b`. */
export function minus(a: FieldSet, b: FieldSet): FieldSet {
  const rest: Record<string, FieldSet> = {};
  for (const [step, below] of Object.entries(a)) {
    const taken = b[step];
    if (taken === undefined) rest[step] = below;
    else if (isEmpty(below)) {
      if (!isMember(taken)) rest[step] = below;
    } else {
      const left = minus(below, isEmpty(taken) ? { '.': member } : taken);
      if (!isEmpty(left)) rest[step] = tidy(left);
    }
  }
  return rest;
}

/** What is in both. */
export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  const both: Record<string, FieldSet> = {};
  for (const [step, below] of Object.entries(a)) {
    const other = b[step];
    if (other === undefined) continue;
    if (isEmpty(below) || isEmpty(other)) {
      if (isMember(below) && isMember(other)) both[step] = member;
      continue;
    }
    const common = intersection(below, other);
    if (!isEmpty(common)) both[step] = tidy(common);
  }
  return both;
}

/** Every member as a path of steps. */
export function members(set: FieldSet, above: readonly string[] = []): string[][] {
  return Object.entries(set).flatMap(([step, below]) => {
    if (step === '.') return [[...above]];
    const here = [...above, step];
    return isEmpty(below) ? [here] : members(below, here);
  });
}

/** `.spec.template.spec.containers[name="web"].image`, as conflicts name a field. */
export function shownPath(steps: readonly string[]): string {
  return steps.map(shownStep).join('');
}

const isMember = (node: FieldSet): boolean => isEmpty(node) || '.' in node;

function joinNodes(a: FieldSet, b: FieldSet): FieldSet {
  if (isEmpty(a) && isEmpty(b)) return member;
  if (isEmpty(a)) return { '.': member, ...b };
  return isEmpty(b) ? { '.': member, ...a } : union(a, b);
}

function tidy(node: FieldSet): FieldSet {
  const steps = Object.keys(node);
  return steps.length === 1 && steps[0] === '.' ? member : node;
}

function shownStep(step: string): string {
  if (step.startsWith('f:')) return `.${step.slice(2)}`;
  if (step.startsWith('v:')) return `[=${step.slice(2)}]`;
  const keys = Object.entries(JSON.parse(step.slice(2)) as Record<string, unknown>);
  return `[${keys.map(([key, value]) => `${key}=${JSON.stringify(value)}`).join(',')}]`;
}
