import * as z from 'zod';
import type { Path } from './yaml-source.ts';

/** The schema that governs the value at this path, if the path leads anywhere. */
export function schemaAt(schema: z.core.$ZodType, path: Path): z.core.$ZodType | undefined {
  let at: z.core.$ZodType | undefined = schema;
  for (const key of path) {
    at = at === undefined ? undefined : step(bare(at), key);
  }
  return at === undefined ? undefined : bare(at);
}

/** Without the wrappers that say a value may be absent or is changed afterwards. */
function bare(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return bare(schema.unwrap());
  if (schema instanceof z.ZodPipe) return bare(schema.in);
  if (schema instanceof z.ZodUnion) return schema.options.find((option) => option instanceof z.ZodObject) ?? schema;
  return schema;
}

function step(schema: z.core.$ZodType, key: PropertyKey): z.core.$ZodType | undefined {
  if (schema instanceof z.ZodObject) return Object.hasOwn(schema.shape, key) ? schema.shape[String(key)] : undefined;
  if (schema instanceof z.ZodRecord) return schema.valueType;
  if (schema instanceof z.ZodArray) return schema.element;
  return undefined;
}
