import type { Call } from './server.ts';
import { invalidOptions } from './status.ts';

export interface WriteOptions {
  readonly dryRun: boolean;
  readonly fieldValidation: 'Ignore' | 'Warn' | 'Strict';
  readonly manager: string;
}

/** The query parameters that all writes share. `kind` is what Kubernetes calls them in errors: CreateOptions, PatchOptions … */
export function writeOptions(call: Pick<Call, 'info' | 'request'>, kind: string): WriteOptions {
  const { query } = call.info;
  const validation = query.get('fieldValidation') ?? '';
  if (!['', 'Ignore', 'Warn', 'Strict'].includes(validation)) {
    throw invalidOptions(kind, {
      reason: 'FieldValueNotSupported',
      message: `Unsupported value: "${validation}": supported values: "", "Ignore", "Strict", "Warn"`,
      field: 'fieldValidation',
    });
  }
  return {
    dryRun: isDryRun(query.getAll('dryRun'), kind),
    fieldValidation: validation === 'Ignore' || validation === 'Strict' ? validation : 'Warn',
    manager: query.get('fieldManager') ?? managerOf(call.request.headers['user-agent']),
  };
}

export function isDryRun(values: readonly string[], kind: string): boolean {
  const asked = values.filter((value) => value !== '');
  if (asked.some((value) => value !== 'All')) {
    throw invalidOptions(kind, {
      reason: 'FieldValueNotSupported',
      message: `Unsupported value: ${JSON.stringify(asked)}: supported values: "All"`,
      field: 'dryRun',
    });
  }
  return asked.length > 0;
}

function managerOf(userAgent: string | undefined): string {
  const name = userAgent?.split('/')[0]?.trim() ?? '';
  return name === '' ? 'unknown' : name.slice(0, 128);
}
