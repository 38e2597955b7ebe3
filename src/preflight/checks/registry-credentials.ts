import { join } from 'node:path';
import { mountedSecret } from '../../adapters/files/mounted-secret.ts';
import { type Login, registryLogin } from '../../adapters/network/registry-login.ts';
import { registryBase, registryHost, usualRegistries } from '../../core/preflight/addresses.ts';
import { registryEntry } from '../../core/preflight/docker-config.ts';
import { type Finding, failed, passed, unseen, warned } from '../../core/preflight/finding.ts';
import type { Check } from '../check.ts';
import type { Surroundings } from '../surroundings.ts';
import { addressMs } from '../try-address.ts';

/** R3.4: what a Docker configuration has for each registry is accepted there. */
export const registryCredentials: Check = {
  id: 'registry-credentials',
  title: 'Registry credentials',
  area: 'credentials',
  deadlineMs: 30_000,
  stopsBootstrap: false,
  async run(surroundings, signal) {
    const config = await readConfig(surroundings);
    if ('wrong' in config) return [config.wrong];
    const registries = surroundings.section.registries ?? usualRegistries;
    return Promise.all(registries.map((registry) => lookAt(surroundings, { registry, config }, signal)));
  },
};

interface Config {
  /** Where it was found; undefined: nowhere, and nobody said that there is one. */
  readonly origin: string | undefined;
  readonly content: unknown;
}

async function readConfig(surroundings: Surroundings): Promise<Config | { readonly wrong: Finding }> {
  const { section, secretsFolder } = surroundings;
  const named = section.secrets?.registry;
  for (const place of placesOf(surroundings)) {
    const secret = await mountedSecret(place);
    const text =
      secret.kind === 'folder'
        ? (secret.files.get('.dockerconfigjson') ?? secret.files.get('config.json'))
        : secret.kind === 'file'
          ? secret.text
          : undefined;
    if (text !== undefined) return parsed(place, text);
  }
  if (named === undefined) return { origin: undefined, content: {} };
  const place = join(secretsFolder, named);
  return {
    wrong: failed(
      'registry credentials',
      `${place} is not there, or holds no Docker configuration`,
      `Mount the Secret there, with the key .dockerconfigjson; \`kubectl create secret docker-registry\` makes one. Another folder is given with --secrets.`,
    ),
  };
}

function placesOf({ section, secretsFolder, env, home }: Surroundings): readonly string[] {
  const named = section.secrets?.registry;
  if (named !== undefined) return [join(secretsFolder, named)];
  const docker = env['DOCKER_CONFIG'] ?? (home === undefined ? undefined : join(home, '.docker'));
  return [join(secretsFolder, 'registry'), ...(docker === undefined ? [] : [join(docker, 'config.json')])];
}

function parsed(origin: string, text: string): Config | { readonly wrong: Finding } {
  try {
    return { origin, content: JSON.parse(text) };
  } catch {
    // The parser would quote what it cannot read, and that may be a password.
    return {
      wrong: failed(
        'registry credentials',
        `${origin} is not JSON`,
        'It must be a Docker configuration, as `docker login` writes it.',
      ),
    };
  }
}

async function lookAt(
  { network }: Surroundings,
  { registry, config }: { readonly registry: string; readonly config: Config },
  signal: AbortSignal,
): Promise<Finding> {
  const host = registryHost(registry);
  const about = `registry ${host}`;
  const entry = registryEntry(config.content, host, (text) => Buffer.from(text, 'base64').toString('utf8'));
  if (entry.kind === 'elsewhere')
    return unseen(about, `its credentials are with ${entry.what}`, `Try it by hand: \`docker login ${host}\`.`);
  const user = entry.kind === 'user' ? entry : undefined;
  const login = await registryLogin(network, { registry: registryBase(registry), user, deadlineMs: addressMs, signal });
  return judge(about, login, { user: user?.username, origin: config.origin });
}

interface Shown {
  readonly user: string | undefined;
  readonly origin: string | undefined;
}

function judge(about: string, login: Login, { user, origin }: Shown): Finding {
  switch (login.result) {
    case 'accepted':
      return passed(about, `accepts ${user} (${origin})`);
    case 'open':
      return passed(
        about,
        user === undefined ? 'lets anybody pull; no credentials are configured' : `lets anybody in, also ${user}`,
      );
    case 'refused':
      if (user === undefined)
        return failed(
          about,
          `wants credentials and there are none: ${login.because}`,
          'Name a mounted Docker configuration in environment.yaml (`preflight.secrets.registry`), or `docker login` here.',
        );
      return failed(
        about,
        `refuses ${user} (${origin}): ${login.because}`,
        'The password or token is wrong or has run out: make a new one and mount it.',
      );
    case 'strange':
      return warned(
        about,
        `could not be asked: ${login.because}`,
        'Check the name of the registry in environment.yaml (`preflight.registries`).',
      );
    case 'unreached':
      return unseen(about, 'it cannot be reached', 'Mend “Registries are reachable” first.');
  }
}
