import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { RunEvent } from '../../src/core/run/events.ts';
import { deploy } from '../../src/engine/deploy.ts';
import { runSingleStep } from '../../src/engine/run-single-step.ts';
import { validate } from '../../src/engine/validate.ts';
import { admin } from '../e2e/look.ts';
import { type Bench, deployOn, executorOn, play } from '../harness.ts';
import { namesRight, type Rule, roleObjects } from '../real/rights.ts';
import { type ChartRight, type Grant, grantsOf, rightsIn, without } from './grants.ts';
import {
  agentWorld,
  type Circumstances,
  clusterWith,
  platform,
  refusedBy,
  sentencesOf,
  source,
  type Tried,
  tried,
} from './rights-bench.ts';

const agent = grantsOf('tiphys-agent', 'agent');
const executor = grantsOf('tiphys-deploy', 'agent');
// The pods' chart is rendered with one more namespace, for the shape of it; this platform has nothing there.
const step = grantsOf('tiphys-step', 'pod').filter(({ namespace }) => namespace !== 'team-a');

/** Kinds that no app of the embedded cluster consists of; test/real/rbac.test.ts has them. */
const isPlayed = ({ namespace, resource }: ChartRight): boolean =>
  namespace !== undefined || !['temporalclusters', 'vaults', 'applications'].includes(resource);
/** Asked for by the container that Argo puts beside ours, which the embedded cluster does not run. */
const isOurs = ({ resource }: ChartRight): boolean => resource !== 'workflowtaskresults';
/** Who leaves the run to an agent leaves it the hold, too; the same account deploys without this engine. */
const isForOwnRuns = ({ verb, resource }: ChartRight): boolean => verb === 'watch' && resource === 'appprojects';

describe('the rights of the agent', () => {
  it('are enough for a deploy, together with those of whoever submits it', async () => {
    const { told, outcome, refused } = await tried([...agent, ...executor]);
    expect([told.filter((line) => line.includes('cannot')), outcome, refused]).toEqual([[], 'success', []]);
  });

  it.each(named(rightsIn(agent).filter(isPlayed)))('are missed when it may not %s', async (_name, right) => {
    const around = agentCircumstances[`${right.verb} ${right.resource} ${right.namespace}`];
    const { told } = await tried([...without(agent, right), ...executor], right, around);
    expectNamed(told, right);
  });
});

/** A lease that has run out and was swept away has to be made again. */
const agentCircumstances: Readonly<Record<string, Circumstances>> = {
  'create leases argocd': { on: when('workflow-submitted', (on) => remove(on, leasePath)) },
};

describe('the rights of whoever deploys with this engine', () => {
  it.each(named(rightsIn(executor).filter((right) => isPlayed(right) && isOurs(right) && !isForOwnRuns(right))))(
    'are missed when it may not %s',
    async (_name, right) => {
      const isLook = right.namespace === undefined && right.resource !== 'clusterworkflowtemplates';
      const around = isLook ? whole : executorCircumstances[`${right.verb} ${right.resource}`];
      const { told } = await tried([...agent, ...less(executor, right)], right, around);
      expectNamed(told, right);
    },
  );

  it('are those of deploy/rbac and of its extra for this engine', () => {
    const files = [...roleObjects('deploy'), ...documents('deploy/rbac/extra/argo-workflows.yaml')];
    const given = files.flatMap(({ kind, rules = [] }) => rules.map((rule) => ({ kind, rule })));
    // Listing is for one namespace here, and hooks are for whoever validates.
    const wanted = given.filter(({ rule }) => !['jobs'].includes(rule.resources[0] ?? '')).map(({ rule }) => rule);
    expect(
      flat(executor.map(({ rule }) => rule).filter(({ resources }) => resources[0] !== 'workflowtaskresults')),
    ).toEqual(flat(wanted));
  });
});

/** Observed, planned, skipped: everything is looked at again. */
const whole: Circumstances = { before: { kind: 'platform' } };
const workflowPath = '/apis/argoproj.io/v1alpha1/namespaces/argo/workflows/rights-deploy-1';
const leasePath = '/apis/coordination.k8s.io/v1/namespaces/argocd/leases/tiphys-rights';

const executorCircumstances: Readonly<Record<string, Circumstances>> = {
  // What has been synced before is compared again before it is believed.
  'patch applications': { before: { kind: 'stack', name: 'base' } },
  // A lease that has run out has to be changed, not made.
  'patch leases': { prepare: leaveLease },
  // Only the server can say that a Workflow is gone.
  'get workflows': { on: when('node-started', (on) => remove(on, workflowPath)) },
  'patch workflows': { on: when('node-started', (_on, interrupt) => interrupt()) },
};

/** A lease is given back by the executor only when there is no Workflow to leave it to. */
function less(grants: readonly Grant[], right: ChartRight): readonly Grant[] {
  const rest = without(grants, right);
  if (right.verb !== 'delete') return rest;
  const creation = rightsIn(rest).find(({ verb, resource }) => verb === 'create' && resource === 'workflows');
  return creation === undefined ? rest : without(rest, creation);
}

describe('the rights of a step’s pod', () => {
  it('are enough for a step', async () => {
    const { message, refused } = await stepWith(step);
    expect([message, refused]).toEqual([expect.stringMatching(/^Healthy/), []]);
  });

  it('are the agent’s, without its tasks and its lead, and with what Argo’s own container needs', () => {
    const inArgo = (one: Grant): boolean => one.namespace === 'argo';
    expect(step.filter((one) => !inArgo(one)).map(({ rule }) => rule)).toEqual(
      agent.filter((one) => !inArgo(one)).map(({ rule }) => rule),
    );
    expect(step.filter(inArgo).map(({ rule: { resources, verbs } }) => `${resources}: ${verbs}`)).toEqual([
      'workflows: get,list,watch',
      'workflowtaskresults: create,patch',
    ]);
  });

  it.each(
    named(
      rightsIn(step)
        .filter((one) => one.namespace === 'argo')
        .filter(isOurs),
    ),
  )('are missed when it may not %s', async (_name, right) => {
    expectNamed([(await stepWith(without(step, right))).message], right);
  });
});

describe('the rights of whoever validates', () => {
  const looks = grantsOf('tiphys-validate', 'agent');

  it('are enough to find everything Healthy', async () => {
    const { outcome, refused } = await validatedWith(looks);
    expect([outcome, refused]).toEqual(['healthy', []]);
  });

  it('let it write nothing but what Argo’s own container does', () => {
    const writing = rightsIn(looks).filter(({ verb }) => !['get', 'list', 'watch'].includes(verb));
    expect(writing.filter(isOurs)).toEqual([]);
  });

  // A look is over before its watch would have told anything: it is asked for, refused, and not missed.
  // What it looks at in the whole cluster is one role with the agent's and the executor's, tried above.
  const isOwn = ({ namespace, resource }: ChartRight): boolean => namespace !== undefined || resource === 'jobs';
  const missed = rightsIn(looks).filter((one) => isOwn(one) && isOurs(one) && one.verb !== 'watch');
  it.each(named(missed))('are missed when it may not %s', async (_name, right) => {
    expectNamed((await validatedWith(without(looks, right))).told, right);
  });
});

async function validatedWith(grants: readonly Grant[]): Promise<Tried> {
  const on = await clusterWith(grants);
  expect((await deployOn(on)).run.outcome).toBe('success');
  const { world } = executorOn(platform, on, 3, 'tiphys-validate');
  const order = { platform, runId: 'validate-1', scope: { kind: 'platform' }, found: () => undefined } as const;
  const asked = play(validate(world, order, new AbortController().signal));
  const told = await on.time.run(asked.catch((error: Error) => [error.message]));
  on.close();
  const refused = refusedBy(on);
  if (Array.isArray(told)) return { told, outcome: undefined, refused };
  return { told: told.events.flatMap(sentencesOf), outcome: told.run.outcome, refused };
}

describe('the rights of whoever takes down', () => {
  it('are those of deploy/rbac, which test/e2e/permissions.test.ts tries', () => {
    const down = grantsOf('tiphys-teardown', 'pod').filter(({ namespace }) => namespace !== 'team-a');
    const given = down.map(({ rule }) => rule).filter(({ resources }) => resources[0] !== 'workflowtaskresults');
    expect(flat(given)).toEqual(flat(roleObjects('teardown').flatMap(({ rules = [] }) => rules)));
  });
});

/** One step of a Workflow that somebody has submitted. */
async function stepWith(grants: readonly Grant[]): Promise<{ message: string; refused: readonly string[] }> {
  const on = await clusterWith(grants);
  const signal = new AbortController().signal;
  const how = {
    order: 'edges',
    parallelism: 0,
    scope: { kind: 'platform' },
    workflow: { source, detach: true },
  } as const;
  await on.time.run(play(deploy(on.world, { platform, runId: 'deploy-1', ...how }, signal)));
  await remove(on, leasePath);
  const world = agentWorld(on, 'tiphys-step', () => undefined, signal);
  const order = { do: 'step', inputs: { node: 'vault' } };
  const asked = runSingleStep(world, { workflow: 'rights-deploy-1', order }, signal);
  const { message } = await on.time.run(asked.catch((error: Error) => ({ message: error.message })));
  on.close();
  return { message, refused: refusedBy(on) };
}

function named(rights: readonly ChartRight[]): [string, ChartRight][] {
  return rights.map((right) => [`${right.verb} ${right.resource} in ${right.namespace ?? 'the cluster'}`, right]);
}

function expectNamed(told: readonly string[], right: ChartRight): void {
  expect([told, namesRight(told.join('\n'), right)]).toEqual([expect.anything(), true]);
}

/** Once, when the first event of this type is told. */
function when(
  type: RunEvent['type'],
  act: (on: Bench, interrupt: () => void) => unknown,
): NonNullable<Circumstances['on']> {
  const seen = new WeakSet<Bench>();
  return (event, on, interrupt) => {
    if (event.type !== type || seen.has(on)) return;
    seen.add(on);
    void act(on, interrupt);
  };
}

/** The lease of a run that died long ago. */
async function leaveLease(on: Bench): Promise<void> {
  const long = '2020-01-01T00:00:00.000000Z';
  const made = await admin(on, 'POST', leasePath.slice(0, leasePath.lastIndexOf('/')), {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'tiphys-rights' },
    spec: { holderIdentity: 'dead', acquireTime: long, renewTime: long, leaseDurationSeconds: 30 },
  });
  expect(made.status).toBe(201);
}

async function remove(on: Bench, path: string): Promise<void> {
  expect((await admin(on, 'DELETE', path)).status).toBe(200);
}

function documents(file: string): readonly { kind: string; rules?: readonly Rule[] }[] {
  return parseAllDocuments(readFileSync(file, 'utf8')).map((one) => one.toJS());
}

/** Every verb of every rule as a line. */
function flat(rules: readonly Rule[]): string[] {
  const lines = rules.flatMap(({ apiGroups, resources, verbs }) =>
    verbs.map((verb) => `${verb} ${resources} ${apiGroups}`),
  );
  return [...new Set(lines)].sort();
}
