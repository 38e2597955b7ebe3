import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Architecture, here } from '../../images/executor/assembly/contents.ts';

export interface EngineOrder {
  readonly repository: string;
  readonly architecture: Architecture;
  /** The arguments of the Dockerfile. */
  readonly args: Readonly<Record<string, string>>;
  /** A file with the authorities that vouch for the mirrors. */
  readonly authorities: string | undefined;
  /** The charts of bootstrap/charts.lock. */
  readonly charts: string;
  /** For all that the engine keeps: images, downloads, drafts. */
  readonly folder: string;
}

/** Builds the Dockerfile as it stands with a real container engine; gives the OCI layout of what it has made. */
export async function buildWithBuildah(order: EngineOrder): Promise<string> {
  const { architecture, folder } = order;
  const context = furnishContext(order);
  const layout = join(folder, `made-${architecture}`);
  rmSync(layout, { recursive: true, force: true });
  await buildah(order, ['build', ...words(order, context), context]);
  // Of stages that are only copied from, 1.28 leaves the containers.
  await buildah(order, ['rm', '--all']);
  await buildah(order, ['push', '--format=oci', nameFor(architecture), `oci:${layout}`]);
  return layout;
}

/** As for docker buildx, and what buildah 1.28, the one of Debian 12, does not find out by itself. */
function words({ architecture, args, authorities }: EngineOrder, context: string): string[] {
  const dockerfile = join(context, 'images/executor/Dockerfile');
  return [
    // It looks for a list of files to leave out under other names only.
    ...['--file', dockerfile, '--ignorefile', `${dockerfile}.dockerignore`],
    // With it TARGETARCH is known, also when it is the machine's own.
    ...['--platform', `linux/${architecture}`, '--tag', nameFor(architecture)],
    // In FROM it knows no other arguments than those it is given.
    ...['--build-arg', `BUILDPLATFORM=linux/${here()}`],
    // For every stage: it takes an image that it has under that name, whichever machine it is for.
    '--pull-always',
    // The registry is on the loopback and has no certificate; neither a network nor a runtime for containers is needed.
    ...['--tls-verify=false', '--isolation=chroot', '--network=host'],
    ...Object.entries(args).flatMap(([name, value]) => ['--build-arg', `${name}=${value}`]),
    ...(authorities === undefined ? [] : ['--secret', `id=authorities,src=${authorities}`]),
  ];
}

function nameFor(architecture: Architecture): string {
  return `localhost/tiphys/executor:${architecture}`;
}

/** The repository with charts beside package.json, as the guide says, and with a file that must not come along. */
function furnishContext({ repository, charts, folder }: EngineOrder): string {
  const context = join(folder, 'context');
  rmSync(context, { recursive: true, force: true });
  const left = new Set(['.git', 'node_modules', 'dist']);
  cpSync(repository, context, { recursive: true, filter: (path) => !left.has(basename(path)) });
  cpSync(charts, join(context, 'charts-mirror'), { recursive: true });
  writeFileSync(join(context, 'bootstrap/lost.kubeconfig'), 'a credential that lies about\n');
  return context;
}

/**
 * Not while nothing else can go on: the registry answers from this process. In a namespace of its own, so that whatever it mounts ends
 * with it, also when it fails.
 */
async function buildah({ folder }: EngineOrder, args: readonly string[]): Promise<void> {
  const drafts = join(folder, 'drafts');
  mkdirSync(drafts, { recursive: true });
  const store = ['--root', join(folder, 'store'), '--runroot', join(folder, 'run')];
  const child = spawn('unshare', ['--mount', 'buildah', ...store, ...args], {
    // Its caches are below the folder for drafts.
    env: { ...process.env, TMPDIR: drafts },
    stdio: ['ignore', 'inherit', 'inherit'],
    timeout: 3_600_000,
  });
  const [code, signal] = await once(child, 'close');
  if (code !== 0) throw new Error(`buildah ${args[0]} ended with ${code ?? signal}`);
}
