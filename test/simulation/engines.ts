import { workflowIdentity } from '../../src/adapters/argo-workflows/connect-agent.ts';
import type { RunEvent } from '../../src/core/run/events.ts';
import type { DeployOrder } from '../../src/engine/deploy.ts';
import type { RecordedRequest } from '../../src/sandbox/api/recorded-request.ts';
import { createRandom } from '../../src/sandbox/world/random.ts';
import { type Bench, bench, deployOn, executorOn, type Played, sourceOf } from '../harness.ts';
import { agentOn, attachOn, workflowBench, workflowDeployOn } from '../workflow-bench.ts';
import type { Case } from './random-case.ts';

/** How a plan is run: the invariants are the same. */
export interface SimulatedEngine {
  readonly name: 'embedded' | 'argo-workflows';
  open(played: Case): Bench;
  executor(on: Bench, seed: number): ReturnType<typeof executorOn>;
  deploy(on: Bench, order: Partial<DeployOrder>, onEvent: (event: RunEvent) => void): Promise<Played>;
  /** After the executor has died: what is going on is followed, else a new run goes on. */
  resume(on: Bench, order: Partial<DeployOrder>, onEvent: (event: RunEvent) => void): Promise<Played>;
}

export const embedded: SimulatedEngine = {
  name: 'embedded',
  open: (played) => bench(played.platform, clusterOf(played)),
  executor: (on, seed) => executorOn(on.platform, on, seed),
  deploy: (on, order, onEvent) => deployOn(on, order, undefined, onEvent),
  resume: (on, order, onEvent) => deployOn(on, order, undefined, onEvent),
};

/** The run lives in a Workflow; agents die, too, and the controller is restarted. */
export function throughWorkflows(dag: string, seed: number): SimulatedEngine {
  // Every fourth platform is divided into Workflows of three tasks.
  const size = seed % 4 === 0 ? { mostTasks: 3 } : {};
  const deploy: SimulatedEngine['deploy'] = (on, order, onEvent) => {
    const source = { ...sourceOf(dag), overrides: { gitRevision: on.platform.environment.gitRevision } };
    return workflowDeployOn({ ...on, source }, { ...order, ...size }, undefined, onEvent);
  };
  return {
    name: 'argo-workflows',
    open(played) {
      const on = workflowBench(sourceOf(dag), clusterOf(played));
      disturb(on, on.agent.kill, played.seed);
      return on;
    },
    executor: (on, seed) => executorOn(on.platform, on, seed, { identity: workflowIdentity }),
    deploy,
    async resume(on, order, onEvent) {
      const all = await on.time.run(on.world.workflows.all(new AbortController().signal));
      // While nobody followed it, it may have come to its end: then its report is still there.
      return all.length > 0 ? attachOn(on, undefined, undefined, onEvent) : deploy(on, order, onEvent);
    },
  };
}

/** Kills the agent now and then in the first minutes, and brings a new one a while later. */
function disturb(on: Bench, killFirst: () => void, seed: number): void {
  const random = createRandom(seed * 7919 + 1);
  let kill = killFirst;
  let at = 0;
  for (let count = Math.floor(random.next() * 4); count > 0; count--) {
    at += 1_000 + random.next() * 120_000;
    on.time.after(at, () => kill());
    at += random.next() * (random.chance(0.2) ? 200_000 : 10_000);
    on.time.after(at, () => {
      kill = agentOn(on, seed * 31 + count).kill;
    });
  }
  if (random.chance(0.3)) on.time.after(random.next() * 200_000, () => on.sandbox.restartWorkflows());
}

function clusterOf({ scenario, faults, seed, apiFaults }: Case) {
  return { scenario, faults, seed, apiFaults, idSeed: seed };
}

/** Writes of runs: an agent goes on keeping its leadership. */
export function writesOf({ sandbox }: Bench): readonly RecordedRequest[] {
  return sandbox.requests.filter(({ write, path }) => write && !path.includes('/leases/tiphys-workflow-agent'));
}
