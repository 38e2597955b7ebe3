import { parse } from 'yaml';
import { type PreflightSpec, preflightSpec } from '../platform/environment-schema.ts';

/** The section `preflight` of an environment.yaml that has been checked already; nothing where it has none. */
export function preflightSection(environmentText: string): PreflightSpec {
  const whole: unknown = parse(environmentText, { uniqueKeys: false });
  const section = typeof whole === 'object' && whole !== null && 'preflight' in whole ? whole.preflight : undefined;
  return preflightSpec.safeParse(section ?? {}).data ?? {};
}
