import * as z from 'zod';
import { checkSchema } from '../../core/platform/check-schema.ts';
import { collectProblems, type Problems } from '../../core/platform/collect-problems.ts';
import { nearestName } from '../../core/platform/nearest-name.ts';
import type { Platform } from '../../core/platform/platform.ts';
import { complain, label, timeout } from '../../core/platform/schema-values.ts';
import { readYaml, type SourceFile, type YamlSource } from '../../core/platform/yaml-source.ts';
import type { Problem } from '../../core/problem.ts';
import { type Fault, parseFaultOf } from './fault.ts';
import type { AppScenario, Scenario } from './scenario.ts';

/** Reads a scenario file. The scenario is there only when no problem is an error; with a platform its app names are checked, too. */
export function readScenario(
  file: SourceFile,
  platform?: Platform,
): { scenario: Scenario | undefined; problems: readonly Problem[] } {
  const problems = collectProblems();
  const source = readYaml(file, problems);
  const spec = source && checkSchema(source, { whole: scenarioSchema, partial: partialSchema }, problems);
  if (source === undefined || spec === undefined) return { scenario: undefined, problems: problems.list() };
  if (platform !== undefined) checkNames(source, { spec, platform }, problems);
  const apps = Object.entries(spec.apps ?? {}).map(([app, own]) => [app, appScenario(own, app)] as const);
  const scenario: Scenario = { defaults: appScenario(spec.defaults ?? {}, ''), apps: new Map(apps) };
  return { scenario: problems.hasErrors ? undefined : scenario, problems: problems.list() };
}

const faultText = z
  .string()
  .superRefine((text, context) => {
    const fault = parseFaultOf('app', text);
    if ('error' in fault) complain(context, fault.error, 'Write one of them, or remove it.');
  })
  .meta({ examples: ['degraded', 'sync-fails:2'] });

const behaviour = z.strictObject({
  ready: timeout.optional().meta({ description: 'From apply until the workload is ready.' }),
  sync: timeout.optional().meta({ description: 'How long the sync operation takes.' }),
  delete: timeout.optional().meta({ description: 'How long its objects take to go away.' }),
  states: z
    .array(z.strictObject({ state: z.string().min(1), for: timeout.optional() }))
    .min(1)
    .optional()
    .meta({ description: 'What its main object says of itself, one after the other; the last one stays.' }),
  automated: z.boolean().optional().meta({ description: 'False: its Application has no automated sync.' }),
  waves: z.int().min(1).max(20).optional().meta({ description: 'Over how many sync waves its objects are spread.' }),
  hooks: z.array(z.enum(['PreSync', 'PostSync'])).optional(),
});

const scenarioSchema = z.strictObject({
  apiVersion: z.literal('tiphys.dev/v1'),
  kind: z.literal('Scenario'),
  defaults: behaviour.optional(),
  apps: z.record(label, behaviour.extend({ faults: z.array(faultText).optional() })).optional(),
});

/** What is left after mistakes were cut out. */
const partialSchema = scenarioSchema.partial();

type Spec = z.output<typeof partialSchema>;
type AppSpec = z.output<typeof behaviour> & { faults?: string[] | undefined };

function checkNames(
  source: YamlSource,
  { spec, platform }: { spec: Spec; platform: Platform },
  problems: Problems,
): void {
  for (const app of Object.keys(spec.apps ?? {})) {
    if (platform.apps.has(app)) continue;
    problems.error(
      source.atKey(['apps', app]),
      `The platform has no app "${app}".`,
      () => suggestion(app, platform) ?? 'Remove it, or name one of the apps in dag.yaml.',
    );
  }
}

function suggestion(app: string, platform: Platform): string | undefined {
  const nearest = nearestName(app, platform.apps.keys());
  return nearest === undefined ? undefined : `Did you mean "${nearest}"?`;
}

function appScenario(spec: AppSpec, app: string): AppScenario {
  const faults = (spec.faults ?? []).map((text) => parseFaultOf(app, text)).filter((found) => !('error' in found));
  return {
    ...(spec.ready === undefined ? {} : { readyMs: spec.ready }),
    ...(spec.sync === undefined ? {} : { syncMs: spec.sync }),
    ...(spec.delete === undefined ? {} : { deleteMs: spec.delete }),
    ...(spec.states === undefined ? {} : { states: spec.states.map(scriptedState) }),
    ...(spec.automated === undefined ? {} : { automated: spec.automated }),
    ...(spec.waves === undefined ? {} : { waves: spec.waves }),
    ...(spec.hooks === undefined ? {} : { hooks: spec.hooks }),
    ...(faults.length === 0 ? {} : { faults: faults as Fault[] }),
  };
}

function scriptedState({ state, for: forMs }: { state: string; for?: number | undefined }) {
  return { state, ...(forMs === undefined ? {} : { forMs }) };
}
