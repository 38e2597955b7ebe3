import { resolve } from 'node:path';
import { readPlatformFolder, readText, type SourceFile } from '../../src/adapters/files/platform-folder.ts';
import { formatProblems } from '../../src/core/platform/format-problems.ts';
import type { Platform } from '../../src/core/platform/platform.ts';
import { readPlatform } from '../../src/core/platform/read-platform.ts';
import { type Fault, parseFault } from '../../src/sandbox/world/fault.ts';
import { readScenario } from '../../src/sandbox/world/read-scenario.ts';
import { emptyScenario, type Scenario } from '../../src/sandbox/world/scenario.ts';
import { TestbedError } from '../cluster/testbed-error.ts';

/** The platform as it stands in a Git repository of this address, and how it is to behave. */
export async function readWorld(
  folder: string,
  wishes: { readonly scenario?: string; readonly faults?: readonly string[] },
  gitRepository: string,
): Promise<{ platform: Platform; scenario: Scenario; faults: readonly Fault[] }> {
  const files = await readPlatformFolder(resolve(folder));
  if ('missing' in files) {
    throw new TestbedError(`${files.missing} ${files.because}`, 'A platform is a folder such as platforms/hello.');
  }
  const { platform: found, problems } = readPlatform(files);
  if (found === undefined) {
    throw new TestbedError(`${folder} has problems\n${formatProblems(problems)}`, `tiphys check ${folder}`);
  }
  const platform = { ...found, environment: { ...found.environment, gitRepository } };
  const scenario = scenarioOf(await scenarioFile(wishes.scenario, files.scenario), platform);
  return { platform, scenario, faults: (wishes.faults ?? []).map((text) => faultOf(text, platform)) };
}

async function scenarioFile(asked: string | undefined, found: SourceFile | undefined): Promise<SourceFile | undefined> {
  if (asked === undefined) return found;
  const text = await readText(resolve(asked));
  if (typeof text !== 'string') {
    throw new TestbedError(
      `${asked} ${text.because}`,
      '--scenario takes a file such as platforms/hello/scenario.yaml.',
    );
  }
  return { file: asked, text };
}

function scenarioOf(file: SourceFile | undefined, platform: Platform): Scenario {
  if (file === undefined) return emptyScenario;
  const { scenario, problems } = readScenario(file, platform);
  if (scenario === undefined) {
    throw new TestbedError(`${file.file} has problems\n${formatProblems(problems)}`, 'Mend the scenario.');
  }
  return scenario;
}

function faultOf(text: string, { apps }: Platform): Fault {
  const fault = parseFault(text);
  if ('error' in fault) throw new TestbedError(`--fault: ${fault.error}`, 'Write it as for the sandbox.');
  const app = apps.get(fault.app);
  if (app === undefined) {
    throw new TestbedError(`--fault: there is no app called “${fault.app}”`, 'Use a name from dag.yaml.');
  }
  if (fault.kind === 'sealed' && app.type !== 'vault') {
    throw new TestbedError(
      `--fault: only an app of type vault can be sealed, and ${app.name} is none`,
      'Use degraded.',
    );
  }
  return fault;
}
