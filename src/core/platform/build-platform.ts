import { checkApplications } from './check-applications.ts';
import { checkCycles } from './check-cycles.ts';
import { checkLayers } from './check-layers.ts';
import { checkCustomisation, keepOnly } from './customise.ts';
import { type DeclaredApp, declareNames } from './declare-names.ts';
import type { App, Part, Platform, Stack } from './platform.ts';
import type { Files } from './platform-files.ts';
import { resolveAppNeeds } from './resolve-app-needs.ts';
import { type NeedContext, ownerOf, resolveNeeds } from './resolve-needs.ts';
import { resolveEnvironment, resolveRetries, resolveTimeouts, type Settings } from './resolve-settings.ts';
import type { YamlSource } from './yaml-source.ts';

/** Makes the platform of both files: names, needs, settings, then the checks that want the whole picture. */
export function buildPlatform(files: Files): Platform {
  const { dag, environment, overrides, problems } = files;
  const declared = declareNames(dag.spec, dag.source, problems);
  const context: NeedContext = { declared, written: dag.written, problems };
  checkApplications(dag, declared, problems);
  checkCustomisation(files, declared);
  const needs = resolveAppNeeds(files, context);
  const settings: Settings = { environment: environment.spec, defaults: dag.spec.defaults ?? {}, overrides };
  const apps = new Map<string, App>();
  for (const app of declared.apps.values()) {
    checkCluster(app, files);
    const parts = resolveParts(app, dag.source, context);
    apps.set(app.name, {
      ...plainSettings(app),
      needs: needs.get(app.name) ?? [],
      parts,
      ...appSettings(app, settings),
    });
  }
  const stacks = new Map(
    [...declared.stacks.values()].map(({ name, spec, apps: members }) => [name, stackOf(name, spec, members)]),
  );
  const kept = keepOnly({ apps, stacks }, files);
  checkLayers(kept.apps, problems);
  return {
    name: dag.spec.name ?? '',
    ...(dag.spec.root === undefined ? {} : { root: dag.spec.root }),
    stacks: kept.stacks,
    apps: checkCycles(kept.apps, problems),
    environment: resolveEnvironment(environment.spec, overrides),
  };
}

function appSettings(app: DeclaredApp, settings: Settings) {
  return { timeouts: resolveTimeouts(app.name, app.spec, settings), retries: resolveRetries(app.spec, settings) };
}

function plainSettings({ name, stack, spec, at }: DeclaredApp) {
  return {
    name,
    stack,
    application: spec.application ?? name,
    type: spec.type ?? 'simple',
    ...(spec.layer === undefined ? {} : { layer: spec.layer }),
    stateful: spec.stateful ?? false,
    settles: spec.settles ?? true,
    mayBeEmpty: spec.mayBeEmpty ?? false,
    probes: (spec.probes ?? []).map(({ http, expect }) => ({ http, expect: expect ?? { status: 200 } })),
    at,
  };
}

function resolveParts(app: DeclaredApp, source: YamlSource, context: NeedContext): Map<string, Part> {
  const parts = new Map<string, Part>();
  for (const [name, { kinds, names, needs }] of Object.entries(app.spec.parts ?? {})) {
    const list = { source, path: [...app.path, 'parts', name, 'needs'], specs: needs ?? [] };
    parts.set(name, { name, kinds, names: names ?? [], needs: resolveNeeds(list, ownerOf(app, name), context) });
  }
  return parts;
}

function stackOf(name: string, spec: { application?: string | undefined }, apps: readonly string[]): Stack {
  return { name, apps, ...(spec.application === undefined ? {} : { application: spec.application }) };
}

/** Hub and spoke is not there yet (R9.2): an app may only name the cluster that is meant anyway. */
function checkCluster({ name, spec, path }: DeclaredApp, { dag, environment, problems }: Files): void {
  const own = environment.spec.clusterName;
  if (spec.cluster === undefined || spec.cluster === own) return;
  const at = dag.source.at([...path, 'cluster']);
  const what = `App "${name}" is on cluster "${spec.cluster}", but this platform runs on ${own === undefined ? 'a cluster without a name' : `"${own}"`}.`;
  const remedy =
    own === undefined
      ? `Remove the key, or add clusterName: ${spec.cluster} to environment.yaml.`
      : 'Remove the key; one platform has one cluster today.';
  problems.error(at, what, remedy);
}
