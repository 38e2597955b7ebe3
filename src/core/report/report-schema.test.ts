import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { reportJsonSchema } from './report.ts';

it('the committed JSON Schema of the report is up to date', async () => {
  const committed: unknown = JSON.parse(
    readFileSync(new URL('../../../schemas/report.schema.json', import.meta.url), 'utf8'),
  );
  expect(committed, 'write it anew with: bin/tiphys schema report > schemas/report.schema.json').toEqual(
    reportJsonSchema(),
  );
});

it('the JSON Schema lets new fields in, so that adding one breaks nobody', () => {
  expect(JSON.stringify(reportJsonSchema())).not.toContain('"additionalProperties":false');
});
