import type { Platform } from '../../src/core/platform/platform.ts';
import type { ApiFault, ApiFaults } from '../../src/sandbox/api/faults.ts';
import type { Fault, FaultKind } from '../../src/sandbox/world/fault.ts';
import { createRandom, type Random } from '../../src/sandbox/world/random.ts';
import type { AppScenario, Scenario } from '../../src/sandbox/world/scenario.ts';
import { platformOf } from '../harness.ts';

/** One random platform with everything that goes wrong in it: the same seed gives the same case. */
export interface Case {
  readonly seed: number;
  readonly dag: string;
  readonly platform: Platform;
  readonly scenario: Scenario;
  readonly faults: readonly Fault[];
  readonly apiFaults: ApiFaults;
  readonly order: 'edges' | 'waves';
  readonly parallelism: number;
  /** Kill the executor after this many events; undefined: let it live. */
  readonly killAfter: number | undefined;
  /** Restart the Argo CD controller after these many events. */
  readonly restartAfter: readonly number[];
  /**
   * From this many events on, as soon as some app is well and others still wait for it: its workload breaks for a while, and
   * (or not) Argo CD has just become blind to live changes.
   */
  readonly trouble: { readonly after: number; readonly isBlind: boolean } | undefined;
  readonly teardown: boolean;
  /** A new commit changes these apps after all is well. */
  readonly upgrade: readonly string[];
}

export function randomCase(seed: number): Case {
  const random = createRandom(seed * 2654435761);
  const dag = randomDag(random);
  const platform = platformOf(dag);
  const apps = [...platform.apps.keys()];
  return {
    seed,
    dag,
    platform,
    scenario: randomScenario(random, platform),
    faults: randomFaults(random, platform),
    apiFaults: randomApiFaults(random),
    order: random.chance(0.2) ? 'waves' : 'edges',
    parallelism: random.chance(0.3) ? 1 + whole(random, 3) : 0,
    killAfter: random.chance(0.5) ? 1 + whole(random, 12 * apps.length) : undefined,
    restartAfter: random.chance(0.3) ? [1 + whole(random, 40), 1 + whole(random, 90)] : [],
    trouble: random.chance(0.5) ? { after: whole(random, 6 * apps.length), isBlind: random.chance(0.7) } : undefined,
    teardown: random.chance(0.4),
    upgrade: random.chance(0.5) ? apps.filter(() => random.chance(0.6)) : [],
  };
}

function whole(random: Random, below: number): number {
  return Math.floor(random.next() * below);
}

function randomDag(random: Random): string {
  const count = 2 + whole(random, 7);
  const stacks = 1 + whole(random, 3);
  const hasRoot = random.chance(0.8);
  const lines = ['apiVersion: tiphys.dev/v1', 'kind: Platform', 'name: sim', ...(hasRoot ? ['root: sim-root'] : [])];
  lines.push('defaults: { timeouts: { sync: 3m, health: 6m }, retries: { maxAttempts: 2, backoff: 5s } }', 'stacks:');
  const withParts = new Set<number>();
  for (let index = 0; index < count; index++) if (random.chance(0.15)) withParts.add(index);
  const types = ['simple', 'simple', 'simple', 'operator', 'database', 'vault', 'ceph'];
  for (let stack = 0; stack < stacks; stack++) {
    const members = Array.from({ length: count }, (_, index) => index).filter((index) => index % stacks === stack);
    if (members.length === 0) continue;
    const parent = hasRoot && random.chance(0.85) ? `application: sim-stack-${stack}` : '';
    lines.push(`  stack-${stack}:`, ...(parent === '' ? [] : [`    ${parent}`]), '    apps:');
    for (const index of members) {
      const fields = [`type: ${types[whole(random, types.length)]}`];
      if (random.chance(0.15)) fields.push('stateful: true');
      if (random.chance(0.15)) fields.push('settles: false');
      if (withParts.has(index)) fields.push('parts: { crds: { kinds: [CustomResourceDefinition] } }');
      const needs = randomNeeds(random, index, withParts, count);
      if (needs.length > 0) fields.push(`needs: [${needs.join(', ')}]`);
      lines.push(`      app-${index}: { ${fields.join(', ')} }`);
    }
  }
  return `${lines.join('\n')}\n`;
}

/** Needs point to lower numbers, so the graph has no cycle; a part of a higher one may be needed early, which is what parts are for. */
function randomNeeds(random: Random, index: number, withParts: ReadonlySet<number>, count: number): string[] {
  const needs: string[] = [];
  for (let other = 0; other < index; other++) {
    if (!random.chance(0.35)) continue;
    const kind = random.next();
    if (kind < 0.75) needs.push(`app-${other}`);
    else needs.push(`{ app: app-${other}, edge: ${kind < 0.9 ? 'soft' : 'once'} }`);
  }
  for (let other = index + 1; other < count; other++) {
    if (withParts.has(other) && random.chance(0.4)) needs.push(`app-${other}#crds`);
  }
  return needs;
}

function randomScenario(random: Random, platform: Platform): Scenario {
  const scripts = [...platform.apps.values()].map(({ name, type }): [string, AppScenario] => [
    name,
    {
      readyMs: 1_000 + whole(random, 100_000),
      syncMs: 200 + whole(random, 8_000),
      deleteMs: 500 + whole(random, 8_000),
      ...(random.chance(0.15) ? { automated: false } : {}),
      // A CephCluster that warns in an early wave fails Argo CD's sync, as it would in earnest: not a fault of the run.
      ...(random.chance(0.15) && type !== 'ceph' ? { waves: 2 } : {}),
    },
  ]);
  return { defaults: {}, apps: new Map(scripts) };
}

const appFaults: readonly FaultKind[] = ['degraded', 'never-healthy', 'sync-fails', 'sealed', 'empty', 'sync-fails'];

function randomFaults(random: Random, platform: Platform): Fault[] {
  if (random.chance(0.5)) return [];
  const apps = [...platform.apps.values()];
  const app = apps[whole(random, apps.length)];
  const kind = appFaults[whole(random, appFaults.length)] as FaultKind;
  if (app === undefined || (kind === 'sealed' && app.type !== 'vault')) return [];
  return [{ app: app.name, kind, ...(kind === 'sync-fails' && random.chance(0.6) ? { times: 1 } : {}) }];
}

function randomApiFaults(random: Random): ApiFaults {
  if (random.chance(0.4)) return { before: () => undefined };
  const rate = random.chance(0.3) ? 0.15 : 0.03;
  return {
    before(request) {
      if (!random.chance(rate)) return undefined;
      return apiFault(random, request.path.includes('watch='));
    },
  };
}

function apiFault(random: Random, isWatch: boolean): ApiFault {
  const kind = whole(random, isWatch ? 5 : 5);
  if (isWatch && kind < 3) return { kind: 'drop-watch', afterMs: 100 + whole(random, 30_000) };
  if (kind === 0) return { kind: 'refuse' };
  if (kind === 1) return { kind: 'status', status: 429, retryAfter: 1 };
  if (kind === 2) return { kind: 'status', status: 500 };
  if (kind === 3) return { kind: 'latency', ms: whole(random, 3_000) };
  return isWatch ? { kind: 'stall' } : { kind: 'reset-mid-body' };
}
