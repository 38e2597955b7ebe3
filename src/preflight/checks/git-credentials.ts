import { join } from 'node:path';
import { type MountedSecret, mountedSecret } from '../../adapters/files/mounted-secret.ts';
import { findProgram } from '../../adapters/programs/find-program.ts';
import { runProgram } from '../../adapters/programs/run-program.ts';
import { type Finding, failed, unseen } from '../../core/preflight/finding.ts';
import { type GitSecret, gitSecretOfFile, gitSecretOfFolder, judgeGit } from '../../core/preflight/git-access.ts';
import { openPrivateFolder } from '../../provision/private-folder.ts';
import type { Check } from '../check.ts';
import { gitEnvironment } from '../git-environment.ts';
import type { Surroundings } from '../surroundings.ts';

/** R3.4: Git lets us read the revision, with a mounted secret or the user's own helper; nobody is asked for a password. */
export const gitCredentials: Check = {
  id: 'git-credentials',
  title: 'Git credentials',
  area: 'credentials',
  deadlineMs: 40_000,
  stopsBootstrap: false,
  cleanUpMs: 8_000,
  async run(surroundings, signal) {
    const git = await findProgram('git', surroundings.env['PATH']);
    if (git === undefined) return [unseen('Git', 'git is not in PATH', 'Install git, for example `apt install git`.')];
    const found = await findSecret(surroundings);
    if ('wrong' in found) return [found.wrong];
    return [await lsRemote(surroundings, { git, ...found }, signal)];
  },
};

interface Found {
  readonly secret: GitSecret | undefined;
  readonly origin: string;
}

async function findSecret(surroundings: Surroundings): Promise<Found | { readonly wrong: Finding }> {
  const { section, secretsFolder, gitCredentials } = surroundings;
  const named = gitCredentials ?? section.secrets?.git;
  const place = gitCredentials ?? join(secretsFolder, named ?? 'git');
  const mounted = await mountedSecret(place);
  if (mounted.kind === 'absent') {
    if (named === undefined) return { secret: undefined, origin: 'your own Git configuration' };
    return {
      wrong: failed(
        'Git',
        `${place} ${mounted.because}`,
        'Mount the Secret there, or name another file with `--git-credentials`.',
      ),
    };
  }
  const secret = readSecret(mounted);
  if (secret.kind !== 'unknown') return { secret, origin: place };
  return {
    wrong: failed(
      'Git',
      `${place} holds nothing that opens a Git repository`,
      'It must be a private key, a token, lines of `git credential-store`, YAML with username and password or sshPrivateKey, or a folder with these as files.',
    ),
  };
}

function readSecret(mounted: Exclude<MountedSecret, { kind: 'absent' }>): GitSecret {
  return mounted.kind === 'file' ? gitSecretOfFile(mounted.text) : gitSecretOfFolder(mounted.files);
}

async function lsRemote(
  surroundings: Surroundings,
  { git, secret, origin }: Found & { readonly git: string },
  signal: AbortSignal,
): Promise<Finding> {
  const { gitRepository: repository, gitRevision: revision } = surroundings.platform.environment;
  const names =
    revision.startsWith('refs/') || revision === 'HEAD'
      ? [revision]
      : [`refs/heads/${revision}`, `refs/tags/${revision}`];
  const folder = await openPrivateFolder();
  try {
    const env = await gitEnvironment(surroundings, secret, folder);
    const args = ['ls-remote', '--', repository, ...names];
    const end = await runProgram({ command: git, args, env, cwd: folder.path, deadlineMs: 30_000, signal });
    if (end.because === 'deadline')
      return failed(
        'Git',
        `${repository} did not answer git ls-remote within 30 s`,
        'Something on the way swallows it: a firewall, or a proxy. Try `git ls-remote` by hand.',
      );
    return judgeGit(end, { repository, revision, origin });
  } finally {
    await folder.remove();
  }
}
