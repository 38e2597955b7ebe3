import { parse } from 'yaml';
import * as z from 'zod';

const chart = z.strictObject({
  // It becomes a folder's name.
  name: z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/),
  version: z.string().regex(/^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/),
  appVersion: z.string().min(1),
  source: z.union([
    z.strictObject({ repository: z.string().regex(/^https:\/\/\S+$/) }),
    z.strictObject({ oci: z.string().regex(/^oci:\/\/\S+$/) }),
  ]),
  digest: z.string().regex(/^sha256:[0-9a-f]{64}$/),
});

const chartsLock = z.strictObject({ charts: z.array(chart).min(1).readonly() });

/** A chart as bootstrap/charts.lock pins it: which, from where, and the digest of what it renders from. */
export type LockedChart = z.output<typeof chart>;

/** The charts of a lock file; what is wrong with it in one sentence otherwise. */
export function readChartsLock(text: string): { readonly charts: readonly LockedChart[] } | { readonly wrong: string } {
  let value: unknown;
  try {
    value = parse(text);
  } catch (error) {
    return {
      wrong: `it is not YAML: ${error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)}`,
    };
  }
  const parsed = chartsLock.safeParse(value);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    return { wrong: `${issue?.path.join('.') || 'it'}: ${issue?.message ?? 'is not a list of charts'}` };
  }
  const { charts } = parsed.data;
  const twice = charts.find(({ name }, index) => charts.findIndex((other) => other.name === name) !== index);
  return twice === undefined ? { charts } : { wrong: `${twice.name} is there twice` };
}
