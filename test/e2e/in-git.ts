import type { KubeObject } from '../../src/sandbox/store/objects.ts';
import type { Bench } from '../harness.ts';

/** Somebody's commit: what a path holds afterwards. */
export function change(
  { sandbox: { world } }: Bench,
  path: string,
  how: (objects: readonly KubeObject[]) => readonly KubeObject[],
): void {
  const content = world.git.read(path, world.git.head);
  if ('error' in content) throw new Error(content.error);
  world.git.commit(new Map([[path, how(content.objects)]]));
}

/** Moves this Application to another AppProject. */
export function belongingTo(project: string, application: string): (object: KubeObject) => KubeObject {
  return (object) =>
    object.kind === 'Application' && object.metadata.name === application
      ? { ...object, spec: { ...(object['spec'] as object), project } }
      : object;
}
