import { join, resolve } from 'node:path';
import { type MountedSecret, mountedSecret } from '../adapters/files/mounted-secret.ts';
import { preflightSection } from '../core/preflight/preflight-section.ts';
import { ExitError, type Io } from './io.ts';
import type { LoadedPlatform } from './load-platform.ts';
import type { Settings } from './settings.ts';

/** Where the credentials of the Git repository are; their content only to keep it out of everything we print. */
export interface GitCredentials {
  readonly path: string;
  readonly secrets: readonly string[];
}

/** What `--git-credentials` names, or environment.yaml among the mounted secrets; read now, so that a wrong name is told now. */
export async function findGitCredentials(
  io: Io,
  { raw }: Settings,
  { source }: LoadedPlatform,
): Promise<GitCredentials | undefined> {
  const mounted = preflightSection(source.environment.text).secrets?.git;
  const named = raw.gitCredentials ?? (mounted === undefined ? undefined : join(raw.secrets ?? '/secrets', mounted));
  if (named === undefined) return undefined;
  const path = resolve(io.cwd, named);
  const found = await mountedSecret(path);
  if (found.kind === 'absent')
    throw new ExitError(
      3,
      `${named} ${found.because}`,
      '--git-credentials takes a file, or a folder with a file for each key; bootstrap/README.md shows their forms.',
    );
  return { path, secrets: textsIn(found).flatMap(valuesIn) };
}

function textsIn(secret: Exclude<MountedSecret, { readonly kind: 'absent' }>): readonly string[] {
  return secret.kind === 'file' ? [secret.text] : [...secret.files.values()];
}

/** Everything that could be a secret, whichever form the file has: lines, values of keys, passwords in addresses. */
function valuesIn(text: string): readonly string[] {
  const lines = text.split('\n').map((line) => line.trim());
  const values = lines.map((line) => line.replace(/^[\w.-]+:\s+/, '').replace(/^(["'])(.*)\1$/, '$2'));
  const passwords = lines.flatMap((line) => /^[a-z]+:\/\/[^:/@]*:([^@]*)@/i.exec(line)?.[1] ?? []);
  // An address without a password is no secret, and messages need it.
  return [text.trim(), ...lines, ...values, ...passwords].filter((value) => !/^[a-z]+:\/\/[^@]*$/i.test(value));
}
