import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { stringify } from 'yaml';
import { withHold } from '../../src/adapters/argocd/hold-window.ts';
import type { Platform } from '../../src/core/platform/platform.ts';
import type { KubeObject } from '../../src/sandbox/store/objects.ts';
import { appProject } from '../../src/sandbox/world/applications.ts';
import { definitionOf } from '../../src/sandbox/world/definitions.ts';
import { createWorld, type World } from '../../src/sandbox/world/world.ts';
import type { Testbed } from '../testbed.ts';
import type { Pace } from './pace.ts';
import { publishedObjects } from './published-objects.ts';
import { readWorld } from './read-world.ts';
import { writeRepository } from './write-repository.ts';

export interface PublishOptions {
  /** A scenario file instead of the folder's own. */
  readonly scenario?: string;
  /** `app=fault`, as the sandbox takes them. */
  readonly faults?: readonly string[];
  /** Without it nothing takes time. */
  readonly speed?: Pace;
}

export interface Published {
  readonly commit: string;
  readonly url: string;
  readonly platform: Platform;
  /** Definitions that no app brings: they have to be there from the start. */
  readonly preinstalled: readonly KubeObject[];
  /** The default project with the hold, then the Applications that somebody has to create by hand. */
  readonly top: readonly KubeObject[];
  /** Apps with something that nobody lets go. */
  readonly stuckApps: ReadonlySet<string>;
}

/** Writes a platform into the testbed's Git repository, with the behaviour of its workloads. The cluster is not touched. */
export async function publish(
  testbed: Pick<Testbed, 'folder'>,
  folder: string,
  options: PublishOptions = {},
): Promise<Published> {
  const repository = join(testbed.folder, 'repo');
  const url = pathToFileURL(repository).href;
  const { platform, scenario, faults } = await readWorld(folder, options, url);
  const world = createWorld({ platform, scenario, faults });
  const files = filesOf(publishedObjects(world, platform, options.speed ?? 'max'));
  const commit = await writeRepository(repository, { files, branches: [platform.environment.gitRevision] });
  const stuck = [...platform.apps.keys()].filter((app) => world.fault(app, 'stuck-finalizer') !== undefined);
  const top = topOf(world, platform);
  return { commit, url, platform, preinstalled: preinstalledIn(world), top, stuckApps: new Set(stuck) };
}

function filesOf(folders: ReadonlyMap<string, readonly KubeObject[]>): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const [folder, objects] of folders) {
    // Git keeps no empty folders, and a path that is not there is an error and not an empty app.
    if (objects.length === 0) files.set(`${folder}/.gitkeep`, '');
    for (const object of objects) files.set(fileOf(folder, object), stringify(object, asGoReadsIt));
  }
  return files;
}

/** Argo CD reads older YAML, in which an unquoted `yes` is no text. */
const asGoReadsIt = { compat: 'yaml-1.1', aliasDuplicateObjects: false, lineWidth: 0 } as const;

function fileOf(folder: string, { kind, metadata }: KubeObject): string {
  return `${folder}/${kind.toLowerCase()}-${metadata.name}.yaml`;
}

function preinstalledIn({ providers }: World): readonly KubeObject[] {
  return [...providers].filter(([, provider]) => provider === undefined).map(([kind]) => definitionOf(kind));
}

function topOf({ topApplications }: World, { name, environment }: Platform): readonly KubeObject[] {
  const held = topApplications.map((application) => application.metadata.name).sort();
  return [appProject(environment, 'default', { syncWindows: withHold([], name, held) }), ...topApplications];
}
