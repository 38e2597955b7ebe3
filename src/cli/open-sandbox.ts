import { criticalPath } from '../core/graph/critical-path.ts';
import { expectedSeconds } from '../core/plan/plan-deploy.ts';
import { formatProblems } from '../core/platform/format-problems.ts';
import { nearestName } from '../core/platform/nearest-name.ts';
import { nodeGraph } from '../core/platform/node-graph.ts';
import type { Platform } from '../core/platform/platform.ts';
import { createSandbox, type Sandbox } from '../sandbox/sandbox.ts';
import { type SandboxTime, scaledTime, virtualTime } from '../sandbox/time.ts';
import { type Fault, parseFault } from '../sandbox/world/fault.ts';
import { readScenario } from '../sandbox/world/read-scenario.ts';
import { emptyScenario, type Scenario } from '../sandbox/world/scenario.ts';
import { ExitError, type Io } from './io.ts';
import type { LoadedPlatform } from './load-platform.ts';
import { invalid, type Settings } from './settings.ts';

export interface OpenedSandbox {
  readonly sandbox: Sandbox;
  readonly time: SandboxTime;
  readonly token: string;
  readonly speedText: string;
  readonly seconds: ReadonlyMap<string, number>;
  drive<T>(work: () => Promise<T>): Promise<T>;
}

/** In a terminal a run should be watched, not waited for: this many seconds for the whole critical path. */
const watchableSeconds = 18;

/** A fresh embedded cluster with the platform's Applications in its Git. */
export async function openSandbox(io: Io, loaded: LoadedPlatform, settings: Settings): Promise<OpenedSandbox> {
  const scenario = scenarioOf(loaded);
  const faults = faultsOf(settings, loaded.platform);
  const sandbox = (time: SandboxTime): Sandbox => createSandbox({ platform: loaded.platform, scenario, faults, time });
  const seconds = expectedBy(loaded.platform, scenario);
  const speed = speedOf(settings, io.terminal !== undefined && settings.raw.logFormat === undefined, () =>
    pathSeconds(loaded.platform, seconds),
  );
  if (speed === 'max') {
    const time = virtualTime();
    return {
      sandbox: sandbox(time),
      time,
      token: 'admin',
      speedText: 'time jumps',
      seconds,
      drive: (work) => time.run(work()),
    };
  }
  const time = scaledTime(speed);
  return {
    sandbox: sandbox(time),
    time,
    token: 'admin',
    speedText: `time runs ${speed}×`,
    seconds,
    drive: (work) => work(),
  };
}

export function scenarioOf({ scenario: file, platform }: LoadedPlatform): Scenario {
  if (file === undefined) return emptyScenario;
  const { scenario, problems } = readScenario(file, platform);
  if (scenario === undefined)
    throw new ExitError(
      3,
      `${file.file} has problems\n${formatProblems(problems)}`,
      'Mend the scenario, or leave it out with a folder that has none.',
    );
  return scenario;
}

export function faultsOf(settings: Settings, platform: Platform): readonly Fault[] {
  return (settings.raw.fault ?? []).map((text) => {
    const fault = parseFault(text);
    if ('error' in fault) throw new ExitError(3, `--fault: ${fault.error}`);
    if (!platform.apps.has(fault.app)) {
      const guess = nearestName(fault.app, platform.apps.keys());
      throw new ExitError(
        3,
        `--fault: there is no app called “${fault.app}”`,
        guess === undefined ? 'Use a name from dag.yaml.' : `Did you mean “${guess}”?`,
      );
    }
    if (fault.kind === 'sealed' && platform.apps.get(fault.app)?.type !== 'vault') {
      throw new ExitError(
        3,
        `--fault: only an app of type vault can be sealed, and ${fault.app} is none`,
        'Use degraded or never-healthy.',
      );
    }
    return fault;
  });
}

/** `--speed 60x`, `--speed max`; without it as fast as a person can follow in a terminal, and at once elsewhere. */
export function speedOf(settings: Settings, isWatched: boolean, expected: () => number): number | 'max' {
  const text = settings.raw.speed;
  if (text === undefined) return isWatched ? Math.max(1, Math.round(expected() / watchableSeconds)) : 'max';
  if (text === 'max') return 'max';
  const match = /^(\d+(?:\.\d+)?)x$/.exec(text);
  if (match === null || Number(match[1]) <= 0) throw invalid('--speed', text, 'a factor such as 60x, or max');
  return Number(match[1]);
}

/** Seconds by app, as the scenario scripts them. */
export function expectedBy(platform: Platform, scenario: Scenario): ReadonlyMap<string, number> {
  const seconds = new Map<string, number>();
  for (const name of platform.apps.keys()) {
    const script = scenario.apps.get(name);
    const ready = script?.states?.reduce((sum, state) => sum + (state.forMs ?? 0), 0) ?? 0;
    const ms = Math.max(script?.readyMs ?? scenario.defaults.readyMs ?? 0, ready);
    if (ms > 0) seconds.set(name, ms / 1000);
  }
  return seconds;
}

function pathSeconds(platform: Platform, seconds: ReadonlyMap<string, number>): number {
  return criticalPath(nodeGraph(platform).graph, (node) => expectedSeconds(platform, node, seconds)).length;
}
