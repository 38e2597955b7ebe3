import type { GitSecret } from '../core/preflight/git-access.ts';
import type { PrivateFolder } from '../provision/private-folder.ts';
import type { Surroundings } from './surroundings.ts';

/** The environment that lets Git show a secret without asking anybody, and without it in an argument or a variable (R7.5). */
export async function gitEnvironment(
  { env, network, platform }: Surroundings,
  secret: GitSecret | undefined,
  folder: PrivateFolder,
): Promise<Readonly<Record<string, string | undefined>>> {
  const { ca } = network;
  // Git takes one file with everybody who is trusted.
  const authorities = ca === undefined ? {} : { GIT_SSL_CAINFO: await folder.write('authorities.pem', ca.join('\n')) };
  return {
    ...env,
    ...authorities,
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '',
    SSH_ASKPASS: '',
    GCM_INTERACTIVE: 'never',
    GIT_SSH_COMMAND: env['GIT_SSH_COMMAND'] ?? quietSsh,
    ...(secret === undefined ? {} : await shown(secret, platform.environment.gitRepository, folder)),
  };
}

const quietSsh = 'ssh -o BatchMode=yes -o ConnectTimeout=10';

async function shown(secret: GitSecret, repository: string, folder: PrivateFolder): Promise<Record<string, string>> {
  switch (secret.kind) {
    case 'key': {
      // A copy: ssh refuses a key that others could read, and mounted files often are.
      const key = await folder.write('key', secret.key);
      const hosts =
        secret.knownHosts === undefined
          ? ''
          : ` -o UserKnownHostsFile=${await folder.write('known_hosts', secret.knownHosts)}`;
      return { GIT_SSH_COMMAND: `${quietSsh} -i ${key} -o IdentitiesOnly=yes${hosts}` };
    }
    case 'login': {
      const { protocol, host } = URL.canParse(repository) ? new URL(repository) : { protocol: 'https:', host: '' };
      const line = `${protocol}//${encodeURIComponent(secret.username)}:${encodeURIComponent(secret.password)}@${host}\n`;
      return helper(await folder.write('credentials', line));
    }
    case 'store':
      // A copy: Git forgets in the file what was refused.
      return helper(await folder.write('credentials', secret.text));
    case 'unknown':
      return {};
  }
}

/** Only this helper: the empty one before it makes Git forget those of the user. */
function helper(file: string): Record<string, string> {
  return {
    GIT_CONFIG_COUNT: '2',
    GIT_CONFIG_KEY_0: 'credential.helper',
    GIT_CONFIG_VALUE_0: '',
    GIT_CONFIG_KEY_1: 'credential.helper',
    GIT_CONFIG_VALUE_1: `store --file=${file}`,
  };
}
