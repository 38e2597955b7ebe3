import { readdirSync, readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';

/** One file of `kinds/testdata`: `<kind>-<status>[-<what>].yaml`, first line `# says: <part of the sentence>`. */
export interface HealthState {
  readonly file: string;
  readonly groupKind: string;
  readonly object: unknown;
  /** The second document, when there is one: what `companionOf` would have found. */
  readonly companion: unknown;
  readonly status: string;
  readonly says: string;
}

/** Every state on file; TypeScript and Lua are held to the same ones. */
export function healthStates(): readonly HealthState[] {
  return readdirSync(folder).sort().map(readState);
}

const folder = new URL('../../src/core/health/kinds/testdata/', import.meta.url);

function readState(file: string): HealthState {
  const status = /-(healthy|progressing|degraded|suspended|missing|unknown)(-.+)?\.yaml$/.exec(file)?.[1];
  const content = readFileSync(new URL(file, folder), 'utf8');
  const says = /^# says: (.+)$/m.exec(content)?.[1];
  if (status === undefined || says === undefined) {
    throw new Error(
      `${file}: name it <kind>-<status>[-<what>].yaml and begin it with "# says: <part of the sentence>"`,
    );
  }
  const [object, companion] = parseAllDocuments(content).map((document) => document.toJS() as unknown);
  const { apiVersion, kind } = object as { apiVersion: string; kind: string };
  return { file, groupKind: `${apiVersion.split('/')[0]}/${kind}`, object, companion, status, says };
}
