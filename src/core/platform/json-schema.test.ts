import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { dagJsonSchema, environmentJsonSchema } from './json-schema.ts';

describe('the committed JSON Schemas', () => {
  it.each([
    ['dag', dagJsonSchema],
    ['environment', environmentJsonSchema],
  ] as const)('schemas/%s.schema.json is what the code says (UPDATE_SCHEMAS=1 writes it)', (name, schema) => {
    const file = new URL(`../../../schemas/${name}.schema.json`, import.meta.url);
    const text = `${JSON.stringify(schema(), undefined, 2)}\n`;
    if (process.env['UPDATE_SCHEMAS'] === '1') writeFileSync(file, text);
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  it('refuse unknown keys and describe durations as they are written, not as they are read', () => {
    const schema = JSON.stringify(dagJsonSchema());
    expect(dagJsonSchema()).toMatchObject({
      additionalProperties: false,
      required: ['apiVersion', 'kind', 'name', 'stacks'],
    });
    expect(schema).toContain('"5m"');
    expect(environmentJsonSchema()).toMatchObject({ required: ['name', 'domain', 'gitRepository', 'gitRevision'] });
  });
});
