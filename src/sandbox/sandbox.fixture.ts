import { readFileSync } from 'node:fs';
import type { Platform } from '../core/platform/platform.ts';
import { readPlatform } from '../core/platform/read-platform.ts';
import { createSandbox, type Sandbox, type SandboxOptions } from './sandbox.ts';
import type { KubeObject, ResourceType } from './store/objects.ts';
import { type VirtualTime, virtualTime } from './time.ts';

/** A sandbox with its time, for tests that turn both by hand. */
export interface DrivenSandbox {
  readonly sandbox: Sandbox;
  readonly time: VirtualTime;
  readonly applications: ResourceType;
}

/** A sandbox in virtual time whose controller overlooks nothing, unless the test says so. */
export function drive(options: Omit<SandboxOptions, 'time'>): DrivenSandbox {
  const time = virtualTime();
  const sandbox = createSandbox({
    record: 'all',
    ...options,
    timing: { overlooks: () => false, ...options.timing },
    time,
  });
  const applications = sandbox.types.byPlural('argoproj.io', 'applications');
  if (applications === undefined) throw new Error('no Applications here');
  return { sandbox, time, applications };
}

/** Lets cluster time pass. */
export async function settle({ time }: DrivenSandbox, ms: number): Promise<void> {
  await time.run(time.sleep(ms));
}

export function patch(
  { sandbox, applications }: DrivenSandbox,
  name: string,
  mutate: (object: KubeObject) => KubeObject,
): void {
  sandbox.store.change(applications, 'argocd', name, 'test', mutate);
}

/** Asks for a sync as a client does, and waits as long as a sync usually takes. */
export async function sync(driven: DrivenSandbox, name: string, what: object = {}, waitMs = 6000): Promise<void> {
  patch(driven, name, (object) => {
    const { operationState: _old, ...status } = (object['status'] ?? {}) as { operationState?: unknown };
    const operation = {
      initiatedBy: { username: 'test' },
      sync: { syncOptions: ['CreateNamespace=true'], ...what },
    };
    return { ...object, operation, status };
  });
  await settle(driven, waitMs);
}

export function applicationOf({ sandbox, applications }: DrivenSandbox, name: string): KubeObject | undefined {
  return sandbox.store.get(applications, 'argocd', name);
}

/** `Synced Healthy`, as Argo CD sees it. */
export function verdictOf(driven: DrivenSandbox, name: string): string {
  const status = applicationOf(driven, name)?.['status'] as
    | { sync?: { status: string }; health?: { status: string } }
    | undefined;
  return `${status?.sync?.status} ${status?.health?.status}`;
}

/** The object at `namespace/name`. */
export function objectOf(
  { sandbox }: DrivenSandbox,
  apiVersion: string,
  kind: string,
  where: `${string}/${string}`,
): KubeObject | undefined {
  const [namespace = '', name = ''] = where.split('/');
  const type = sandbox.types.byKind(apiVersion, kind);
  return type === undefined ? undefined : sandbox.store.get(type, namespace, name);
}

/** One of the platforms in `platforms/`. */
export function platformNamed(name: string): Platform {
  const text = (which: string) =>
    readFileSync(new URL(`../../platforms/${name}/${which}.yaml`, import.meta.url), 'utf8');
  return read(text('dag'), text('environment'));
}

/** A platform from the lines of its dag.yaml below the name. */
export function platformFrom(lines: string): Platform {
  const dag = `apiVersion: tiphys.dev/v1\nkind: Platform\nname: test\n${lines}\n`;
  return read(
    dag,
    'name: test\ndomain: test.example.com\ngitRepository: https://git.example.com/t.git\ngitRevision: main\n',
  );
}

/** One app of each type, named like it, without parents. */
export const typeNames = ['simple', 'operator', 'database', 'vault', 'ceph'];

export const everyType: Platform = platformFrom(
  `stacks:\n  s: { apps: { ${typeNames.map((name) => `${name}: { type: ${name} }`).join(', ')} } }`,
);

/** Deletes the Application with everything it manages. */
export function deleteCascading(driven: DrivenSandbox, name: string): void {
  const finalizers = ['resources-finalizer.argocd.argoproj.io'];
  patch(driven, name, (object) => ({ ...object, metadata: { ...object.metadata, finalizers } }));
  driven.sandbox.store.remove(driven.applications, 'argocd', name, 'test');
}

export function operationOf(driven: DrivenSandbox, name: string): unknown {
  return (applicationOf(driven, name)?.['status'] as { operationState?: unknown } | undefined)?.operationState;
}

function read(dag: string, environment: string): Platform {
  const { platform, problems } = readPlatform({
    dag: { file: 'dag.yaml', text: dag },
    environment: { file: 'environment.yaml', text: environment },
  });
  if (platform === undefined) throw new Error(JSON.stringify(problems));
  return platform;
}
