import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KubeClient } from '../../src/adapters/kubernetes/client.ts';
import { bootstrapRoles } from '../../src/core/bootstrap/roles.ts';
import type { Platform } from '../../src/core/platform/platform.ts';
import { brokenEdges } from '../../testbed/audit/broken-edges.ts';
import { creations } from '../../testbed/audit/creations.ts';
import { operations } from '../../testbed/audit/operations.ts';
import type { AuditEntry } from '../../testbed/audit/read-audit.ts';
import type { TestbedState } from '../../testbed/cluster/state.ts';
import { openTestbed } from '../../testbed/world/open-testbed.ts';
import { publishInto } from '../../testbed/world/publish-into.ts';
import {
  auditSince,
  broughtToRest,
  canBootstrap,
  heldWhenCreated,
  helmRevisions,
  tiphysToItsEnd,
  whyNot,
  writesOf,
} from './bootstrap-run.ts';
import { known, testbed } from './empty-bed.ts';
import { buildProgram } from './program.ts';
import type { Ended } from './testbed.ts';

const name = 'real-bootstrap';
const folder = 'platforms/reference';
const releases = [
  ...['argo-events/argo-events', 'argo/argo-workflows', 'argo/tiphys'],
  ...['argocd/argocd', 'sealed-secrets/sealed-secrets'],
];

// One after the other: each begins where the one before has ended.
describe.runIf(canBootstrap).sequential(`a cluster with nothing in it${whyNot}`, () => {
  let state: TestbedState;
  let program: string;
  let platform: Platform;
  let client: KubeClient;
  let close: () => void = () => undefined;
  let deployed: Ended;
  let entries: readonly AuditEntry[];

  beforeAll(async () => {
    program = await buildProgram(name);
    await testbed('down', name, '--delete');
    await testbed('up', name, '--empty');
    state = known(name);
    ({ client, close } = await openTestbed(state));
    ({ platform } = await publishInto(state, folder));
  }, 400_000);

  afterAll(async () => {
    close();
    await testbed('down', name, '--delete');
  }, 400_000);

  it('is one command away from the reference platform: preflight, bootstrap, every app, exit 0 (R4.1, R7.6)', async () => {
    deployed = await tiphysToItsEnd(state, { program, args: ['deploy', folder] });
    const { exitCode, report, err, events } = deployed;
    expect([exitCode, report.failures, report.held], err).toEqual([0, [], []]);
    expect(report.nodes.filter((node) => node.state === 'healthy').length).toBeGreaterThanOrEqual(47);
    expect(err).toContain('There is no Argo CD in this cluster: deploy bootstraps it first.');
    expect(report.bootstrap).toMatchObject({ action: 'bootstrap', outcome: 'success', exitCode: 0, failures: [] });
    expect(statesOf(report.bootstrap)).toEqual(everyRole('healthy'));
    // One file tells both runs.
    const plans = events.flatMap((event) => (event.type === 'run-started' ? [event.plan.action] : []));
    expect(plans).toEqual(['bootstrap', 'deploy']);
  }, 900_000);

  it('has then 47 apps, 9 stacks and a root, all Synced and Healthy by their own records', async () => {
    const { applications } = await broughtToRest(client);
    expect(Object.keys(applications)).toHaveLength(47 + 9 + 1);
    expect([...platform.apps.values()].filter(({ application }) => !(application in applications))).toEqual([]);
    expect(Object.entries(applications).filter(([, { is }]) => is !== 'Synced Healthy')).toEqual([]);
  });

  it('got no object before all hard needs of its app were Healthy, by the audit log (INV-1)', async () => {
    entries = await auditSince(state, 0);
    const apps = new Set(creations(entries).map(({ application }) => application));
    expect([...platform.apps.values()].filter(({ application }) => !apps.has(application))).toEqual([]);
    expect(brokenEdges(platform, entries)).toEqual([]);
    // Had kyverno, which came early, needed temporal, which came late, it would have been found.
    expect(brokenEdges(withNeed('kyverno', 'temporal'), entries).map(({ node }) => node)).toContain('kyverno');
  });

  it('got its root only when that was held already, and Argo CD synced nothing by itself (R6.4, INV-1)', () => {
    expect(heldWhenCreated(entries, platform)).toEqual([true]);
    const found = operations(entries);
    expect(found.length).toBeGreaterThanOrEqual(47);
    expect(found.filter(({ automated }) => automated)).toEqual([]);
  });

  it('is left alone by a second bootstrap: changed=0, no new Helm revision, not one write (R4.1, INV-6)', async () => {
    const before = await helmRevisions(client);
    expect(Object.keys(before).sort()).toEqual(releases);
    expect(Object.values(before).flat()).toEqual(releases.map(() => ({ revision: 1, status: 'deployed' })));
    const since = Date.now();
    const order = { program, args: ['bootstrap', folder], env: { LOG_LEVEL: 'debug' } };
    const { exitCode, report, err } = await tiphysToItsEnd(state, order);
    expect([exitCode, statesOf(report)], err).toEqual([0, everyRole('skipped')]);
    expect(err).toMatch(/^ansible: localhost +: ok=[1-9]\d* +changed=0 +unreachable=0 +failed=0 /m);
    expect(await helmRevisions(client)).toEqual(before);
    expect(await writesOf(state, since)).toEqual([]);
  }, 400_000);

  function withNeed(app: string, need: string): Platform {
    const found = platform.apps.get(app);
    if (found === undefined) throw new Error(`there is no app ${app}`);
    const needs = [...found.needs, { node: need, edge: 'hard' as const, at: found.at }];
    return { ...platform, apps: new Map(platform.apps).set(app, { ...found, needs }) };
  }
});

function statesOf(report: Ended['report']['bootstrap']): Record<string, string> {
  return Object.fromEntries((report?.nodes ?? []).map((node) => [node.name, node.state]));
}

function everyRole(state: string): Record<string, string> {
  return Object.fromEntries(bootstrapRoles.map((role) => [role.name, state]));
}
