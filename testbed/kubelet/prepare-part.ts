import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Probe } from '../cluster/component.ts';
import { markOf } from '../cluster/marked-processes.ts';
import { type Access, giveAccess } from './give-access.ts';
import { lookUpIn } from './look-up.ts';
import type { StayingPart } from './parts.ts';
import type { Container, Pod } from './pod.ts';
import { kubeletFolder } from './record.ts';
import { resolveEnv } from './resolve-env.ts';
import { wordsOf } from './words-of.ts';
import type { KubeletWorld } from './world.ts';

export interface Prepared {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly access: Access | undefined;
}

/** Everything that a part is started with: what its pod says, beneath what a host needs. */
export async function preparePart(world: KubeletWorld, part: StayingPart, pod: Pod): Promise<Prepared> {
  const container = mainContainer(pod);
  const asked = await resolveEnv(pod, container, lookUpIn(world.client));
  const access = part.needsAccess ? await giveAccess(world, part.name, pod) : undefined;
  const host = part.host(seatOf(world, pod, access));
  return {
    command: part.program,
    args: [...ownWords(world, part, { container, env: asked }), ...host.args],
    env: { ...asked, ...world.env, ...host.env, ...markOf(world.testbed.folder, `kubelet/${part.name}`) },
    access,
  };
}

/** How one knows that the part is ready. */
export function probeOf(world: KubeletWorld, part: StayingPart, pod: Pod): Probe {
  return part.host(seatOf(world, pod, undefined)).ready;
}

/** The first one does the work; what charts put beside it are exporters. */
export function mainContainer({ spec: { containers } }: Pod): Container {
  return containers[0] ?? { name: '', image: '' };
}

function seatOf({ testbed }: KubeletWorld, pod: Pod, access: Access | undefined) {
  return { testbed, kubeconfig: access?.kubeconfig ?? '', namespace: pod.metadata.namespace };
}

function ownWords(
  { testbed }: KubeletWorld,
  { name }: StayingPart,
  { container, env }: { readonly container: Container; readonly env: Readonly<Record<string, string>> },
): readonly string[] {
  return name === 'redis' ? [redisSettings(testbed.folder, env['REDIS_PASSWORD'])] : wordsOf(container, env);
}

/** A file, because everybody may read the words a process was started with. */
function redisSettings(folder: string, password: string | undefined): string {
  const own = kubeletFolder(folder);
  mkdirSync(own, { recursive: true, mode: 0o700 });
  const file = join(own, 'redis.conf');
  // It works in this folder, where what nobody wrote down is looked for; with these settings it leaves nothing there.
  const lines = ['save ""', 'appendonly no', `dir ${folder}`];
  if (password !== undefined) lines.push(`requirepass ${JSON.stringify(password)}`);
  writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o600 });
  return file;
}
