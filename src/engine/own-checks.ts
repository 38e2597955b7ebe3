import type { Check } from '../core/health/check.ts';
import { vaultHealth } from '../core/health/kinds/vault-health.ts';
import { companionOf, hasOwnVerdict, ownVerdict } from '../core/health/own-verdict.ts';
import type { ObservedApplication, ResourceRef } from '../core/plan/observed.ts';
import type { App, Probe } from '../core/platform/platform.ts';
import type { LiveObject, World } from './ports.ts';

/** INV-7: looks at the live objects whose “synced” is not “ready”, and asks the probes. */
export async function ownChecks(
  world: World,
  app: App,
  seen: ObservedApplication,
  signal: AbortSignal,
): Promise<readonly Check[]> {
  const objects = seen.resources.filter((object) => !object.hook && hasOwnVerdict(object));
  const [verdicts, probes] = await Promise.all([
    Promise.all(objects.map((object) => checkObject(world, object, signal))),
    checkProbes(world, app, seen, signal),
  ]);
  return [...verdicts.filter((check) => check !== undefined), ...probes];
}

/** Our own verdicts on all of these; undefined when there is one that we have no verdict on. */
export async function verdictsOn(
  world: World,
  objects: readonly ResourceRef[],
  signal: AbortSignal,
): Promise<readonly Check[] | undefined> {
  if (!objects.every(hasOwnVerdict)) return undefined;
  const checks = await Promise.all(objects.map((object) => checkObject(world, object, signal)));
  return checks.every((check) => check !== undefined) ? checks : undefined;
}

async function checkObject(world: World, object: ResourceRef, signal: AbortSignal): Promise<Check | undefined> {
  const about = `${object.kind} ${object.namespace === undefined ? '' : `${object.namespace}/`}${object.name}`;
  const live = await world.objects.read(object, signal);
  if (live === undefined) return { about, verdict: { status: 'missing', message: 'not there yet' } };
  const verdict = ownVerdict(live, undefined, await companion(world, live, signal));
  return verdict === undefined ? undefined : { about, verdict };
}

async function companion(world: World, live: LiveObject, signal: AbortSignal): Promise<LiveObject | undefined> {
  const second = companionOf(live);
  if (second === undefined) return undefined;
  const group = second.apiVersion.includes('/') ? (second.apiVersion.split('/')[0] ?? '') : '';
  return world.objects.read({ group, kind: second.kind, namespace: second.namespace, name: second.name }, signal);
}

async function checkProbes(world: World, app: App, seen: ObservedApplication, signal: AbortSignal): Promise<Check[]> {
  const declared = await Promise.all(app.probes.map((probe) => checkProbe(world, probe, signal)));
  if (app.type !== 'vault' || app.probes.length > 0) return declared;
  return vaultChecks(world, seen, signal);
}

async function checkProbe(world: World, probe: Probe, signal: AbortSignal): Promise<Check> {
  const answer = await world.objects.probe(probe.http, signal);
  if ('error' in answer) return { about: probe.http, verdict: { status: 'progressing', message: answer.error } };
  const ok = answer.status === probe.expect.status;
  return {
    about: probe.http,
    verdict: {
      status: ok ? 'healthy' : 'progressing',
      message: `answered ${answer.status}${ok ? '' : `, wanted ${probe.expect.status}`}`,
    },
  };
}

/**
 * A Vault is ready when it is initialised, unsealed and active, and only Vault itself says so. A Service that leads to a standby
 * is no fault as long as another one leads to the active node.
 */
async function vaultChecks(world: World, seen: ObservedApplication, signal: AbortSignal): Promise<Check[]> {
  const services = seen.resources.filter((object) => object.group === '' && object.kind === 'Service');
  const found = await Promise.all(services.map((service) => vaultCheck(world, service, signal)));
  const checks = found.filter((check) => check !== undefined);
  const hasActive = checks.some((check) => check.verdict.status === 'healthy');
  return hasActive ? checks.filter((check) => !check.isStandby) : checks;
}

async function vaultCheck(
  world: World,
  service: ResourceRef,
  signal: AbortSignal,
): Promise<(Check & { isStandby: boolean }) | undefined> {
  const live = await world.objects.read(service, signal);
  const ports = (live?.['spec'] as { ports?: { port?: number }[] } | undefined)?.ports ?? [];
  if (!ports.some(({ port }) => port === vaultPort)) return undefined;
  const url = `http://${service.name}.${service.namespace}.svc:${vaultPort}/v1/sys/health`;
  const answer = await world.objects.probe(url, signal);
  const about = `Vault ${service.namespace}/${service.name}`;
  if ('error' in answer) return { about, verdict: { status: 'progressing', message: answer.error }, isStandby: false };
  return { about, verdict: vaultHealth(answer.status), isStandby: answer.status === 429 };
}

const vaultPort = 8200;
