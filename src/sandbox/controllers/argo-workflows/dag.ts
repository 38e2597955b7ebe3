import { type Depends, dependsOf, tasksIn } from './depends-expression.ts';
import type { DagTask, NodeStatus, Template } from './workflow.ts';

/** The tasks of a DAG template and how they hang together. */
export interface Dag {
  readonly boundary: NodeStatus;
  readonly isFailFast: boolean;
  /** What the whole is judged by: the tasks that nothing depends on. */
  readonly targets: readonly string[];
  task(name: string): DagTask;
  depends(name: string): Depends | undefined;
  /** The tasks it waits for. */
  needs(name: string): readonly string[];
  nodeName(task: string): string;
}

export function readDag({ dag }: Template, boundary: NodeStatus): Dag {
  const tasks = new Map((dag?.tasks ?? []).map((task) => [task.name, task]));
  const depends = new Map([...tasks.values()].map((task) => [task.name, dependsOf(task)]));
  const needs = new Map([...depends].map(([name, expression]) => [name, tasksIn(expression)]));
  const needed = new Set([...needs.values()].flat());
  return {
    boundary,
    isFailFast: dag?.failFast !== false,
    targets: dag?.target?.split(' ') ?? [...tasks.keys()].filter((name) => !needed.has(name)).sort(),
    task(name) {
      const task = tasks.get(name);
      if (task === undefined) throw new Error(`target ${name} does not exist`);
      return task;
    },
    depends: (name) => depends.get(name),
    needs: (name) => needs.get(name) ?? [],
    nodeName: (task) => `${boundary.name}.${task}`,
  };
}
