import type { Problem } from '../problem.ts';
import { buildPlatform } from './build-platform.ts';
import { checkSchema } from './check-schema.ts';
import { collectProblems, type Problems } from './collect-problems.ts';
import { dagSchema, partialDagSchema } from './dag-schema.ts';
import { writtenNames } from './declare-names.ts';
import { environmentSchema, partialEnvironmentSchema } from './environment-schema.ts';
import type { Platform } from './platform.ts';
import type { PlatformOverrides } from './platform-overrides.ts';
import { readYaml, type SourceFile } from './yaml-source.ts';

/** Reads both files of a platform folder. The platform is there only when no problem is an error. */
export function readPlatform(
  files: { readonly dag: SourceFile; readonly environment: SourceFile },
  overrides: PlatformOverrides = {},
): { platform: Platform | undefined; problems: readonly Problem[] } {
  const problems = collectProblems();
  const dag = readDag(files.dag, problems);
  const environment = readEnvironment(files.environment, problems);
  const platform = dag === undefined ? undefined : buildPlatform({ dag, environment, overrides, problems });
  return { platform: problems.hasErrors ? undefined : platform, problems: problems.list() };
}

function readDag(file: SourceFile, problems: Problems) {
  const source = readYaml(file, problems);
  if (source === undefined) return undefined;
  const written = writtenNames(source.value);
  const spec = checkSchema(source, { whole: dagSchema, partial: partialDagSchema }, problems);
  return spec === undefined ? undefined : { source, spec, written };
}

/** A broken environment.yaml must not hide what is wrong in dag.yaml: what is missing counts as not said. */
function readEnvironment(file: SourceFile, problems: Problems) {
  const source = readYaml(file, problems);
  const schemas = { whole: environmentSchema, partial: partialEnvironmentSchema };
  const spec = source === undefined ? undefined : checkSchema(source, schemas, problems);
  const nowhere = { file: file.file, line: 1, column: 1 };
  return {
    source: source ?? { file: file.file, value: undefined, at: () => nowhere, atKey: () => nowhere },
    spec: spec ?? {},
  };
}
