import { dagJsonSchema, environmentJsonSchema } from '../../core/platform/json-schema.ts';
import { reportJsonSchema } from '../../core/report/report.ts';
import type { CommandRun } from '../invocation.ts';
import { oneOf } from '../settings.ts';

export const schemaCommand: CommandRun = async ({ io, args }) => {
  const document = oneOf('the document', args[0] ?? '', ['dag', 'environment', 'report'] as const);
  const schema = { dag: dagJsonSchema, environment: environmentJsonSchema, report: reportJsonSchema }[document]();
  io.out(`${JSON.stringify(schema, undefined, 2)}\n`);
  return 0;
};
