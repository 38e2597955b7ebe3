import { isFulfilled } from './node-phases.ts';
import type { Lookup } from './substitution.ts';
import type { NodeStatus } from './workflow.ts';

/** What `{{tasks.a.…}}` (or steps) stands for, from the nodes that have ended. */
export function outputLookup(prefix: 'tasks' | 'steps', nodeOf: (name: string) => NodeStatus | undefined): Lookup {
  const pattern = new RegExp(`^${prefix}\\.([^.]+)\\.(.+)$`);
  return (name) => {
    const [, task = '', field = ''] = pattern.exec(name) ?? [];
    const node = task === '' ? undefined : nodeOf(task);
    return node === undefined || !isFulfilled(node) ? undefined : fieldOf(node, field);
  };
}

function fieldOf(node: NodeStatus, field: string): string | undefined {
  const parameters = 'outputs.parameters.';
  if (field.startsWith(parameters)) {
    const name = field.slice(parameters.length);
    const value = node.outputs?.parameters?.find((parameter) => parameter.name === name)?.value;
    return value === undefined ? undefined : String(value);
  }
  switch (field) {
    case 'id':
      return node.id;
    case 'status':
      return node.phase;
    case 'startedAt':
      return node.startedAt;
    case 'finishedAt':
      return node.finishedAt ?? undefined;
    case 'outputs.result':
      return typeof node.outputs?.['result'] === 'string' ? node.outputs['result'] : undefined;
    default:
      return undefined;
  }
}
