import { expect } from 'vitest';
import { connectAgent, workflowIdentity } from '../../src/adapters/argo-workflows/connect-agent.ts';
import { seededIds } from '../../src/adapters/clock/seeded-ids.ts';
import type { Scope } from '../../src/core/plan/scope.ts';
import type { RunEvent } from '../../src/core/run/events.ts';
import { platformOf } from '../../src/core/workflow/run-document.ts';
import { runAgent } from '../../src/engine/agent.ts';
import type { AgentWorld } from '../../src/engine/agent-ports.ts';
import { deploy } from '../../src/engine/deploy.ts';
import { OperatorError } from '../../src/engine/operator-error.ts';
import { administrator, serviceAccountIdentity } from '../../src/sandbox/api/identities.ts';
import { admin } from '../e2e/look.ts';
import { rightsDag } from '../e2e/rights-dag.ts';
import { type Bench, bench, deployOn, executorOn, processOn, sourceOf } from '../harness.ts';
import { namesRight } from '../real/rights.ts';
import { installTemplates } from '../workflow-bench.ts';
import { type Account, type ChartRight, type Grant, rolesFor } from './grants.ts';

export const source = sourceOf(rightsDag);
const read = platformOf({ source });
if ('because' in read) throw new Error(read.because);
export const platform = read;

export interface Tried {
  /** Everything that a person is told of trouble, and the agent's log. */
  readonly told: readonly string[];
  readonly outcome: string | undefined;
  /** What the API server refused. */
  readonly refused: readonly string[];
}

/** What happens around the run. */
export interface Circumstances {
  /** Deployed before, by somebody who may do everything. */
  readonly before?: Scope;
  readonly prepare?: (bench: Bench) => Promise<void>;
  readonly on?: (event: RunEvent, bench: Bench, interrupt: () => void) => void;
}

/** A deploy with these rights, until it ends, or until somebody says which right is missing. */
export async function tried(
  grants: readonly Grant[],
  wanted?: ChartRight,
  { before, prepare, on: happens }: Circumstances = {},
): Promise<Tried> {
  const on = await clusterWith(grants);
  if (before !== undefined) expect((await deployOn(on, { scope: before })).run.outcome).toBe('success');
  await prepare?.(on);
  const told: string[] = [];
  let hear: () => void = () => undefined;
  const heard = new Promise<void>((resolve) => {
    hear = resolve;
  });
  const tell = (sentence: string): void => {
    told.push(sentence);
    if (wanted !== undefined && namesRight(sentence, wanted)) hear();
  };
  const ending = new AbortController();
  const stop = new AbortController();
  let outcome: string | undefined;
  const serving = runAgent(agentWorld(on, 'tiphys-agent', tell, ending.signal), ending.signal).catch(tellError(tell));
  const running = run(on, stop.signal, (event) => {
    if (event.type === 'run-finished') outcome = event.outcome;
    for (const sentence of sentencesOf(event)) tell(sentence);
    happens?.(event, on, () => stop.abort(new Error('interrupted')));
  }).catch(tellError(tell));
  await on.time.run(Promise.race([running, heard]));
  ending.abort(new Error('enough'));
  await on.time.run(serving);
  on.close();
  return { told, outcome, refused: refusedBy(on) };
}

/** Roles and bindings as given; the ServiceAccounts' names are their tokens. */
export async function clusterWith(grants: readonly Grant[]): Promise<Bench> {
  const accounts: readonly Account[] = ['tiphys-agent', 'tiphys-step', 'tiphys-deploy', 'tiphys-validate'];
  const identities = accounts.map((name) => [name, serviceAccountIdentity('argo', name)] as const);
  const scenario = { defaults: {}, apps: new Map([['web', { hooks: ['PreSync'] as const }]]) };
  const on = bench(platform, { identities: new Map([['admin', administrator], ...identities]), scenario });
  installTemplates(on);
  for (const object of accounts.flatMap((account) => rolesFor(grants.filter((one) => one.account === account)))) {
    const { namespace } = object.metadata;
    const within = namespace === undefined ? '' : `/namespaces/${namespace}`;
    const path = `/apis/rbac.authorization.k8s.io/v1${within}/${object.kind.toLowerCase()}s`;
    expect((await admin(on, 'POST', path, object)).status).toBe(201);
  }
  // The bench's own executor is the administrator's.
  return { ...on, world: executorOn(platform, on, 5, 'admin').world };
}

export function agentWorld(
  on: Bench,
  account: Account,
  log: (sentence: string) => void,
  signal: AbortSignal,
): AgentWorld {
  const { transport, clock } = processOn(on, account);
  const ids = seededIds(7);
  const { next: newId, random } = ids;
  return connectAgent({ transport, clock, namespace: 'argo', newId, random, identity: 'agent', log, signal });
}

export function refusedBy({ sandbox }: Bench): string[] {
  const refused = sandbox.requests.filter(({ status }) => status === 403);
  return refused.map(({ method, path, user }) => `${user} ${method} ${path}`);
}

async function run(on: Bench, stop: AbortSignal, onEvent: (event: RunEvent) => void): Promise<void> {
  const { world } = executorOn(platform, on, 3, { token: 'tiphys-deploy', identity: workflowIdentity });
  const how = { order: 'edges', parallelism: 0, workflow: { source } } as const;
  const order = { platform, runId: 'deploy-1', scope: { kind: 'platform' }, ...how } as const;
  for await (const event of deploy(world, order, stop)) onEvent(event);
}

function tellError(tell: (sentence: string) => void): (error: unknown) => void {
  return (error) => {
    if (!(error instanceof OperatorError)) throw error;
    tell(error.message);
  };
}

/** What a person is told of trouble. */
export function sentencesOf(event: RunEvent): string[] {
  if (event.type === 'node-failed') return [event.because];
  return event.type === 'warning' || event.type === 'lease-lost' ? [event.message] : [];
}
