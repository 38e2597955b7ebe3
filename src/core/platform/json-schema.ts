import * as z from 'zod';
import { dagSchema } from './dag-schema.ts';
import { environmentSchema } from './environment-schema.ts';

/** The JSON Schema of dag.yaml, for editors. */
export function dagJsonSchema(): Record<string, unknown> {
  return described(dagSchema, { title: 'dag.yaml', description: 'Stacks, apps, and what each needs.' });
}

/** The JSON Schema of environment.yaml, for editors. */
export function environmentJsonSchema(): Record<string, unknown> {
  return described(environmentSchema, { title: 'environment.yaml', description: 'Facts about one environment.' });
}

function described(schema: z.ZodType, about: { title: string; description: string }): Record<string, unknown> {
  return { ...about, ...z.toJSONSchema(schema, { io: 'input' }) };
}
