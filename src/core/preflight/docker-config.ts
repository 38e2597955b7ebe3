/** What a Docker configuration has for a registry. */
export type RegistryEntry =
  | { readonly kind: 'user'; readonly username: string; readonly password: string }
  /** A token of another kind, or a helper program: nothing that could be shown from here. */
  | { readonly kind: 'elsewhere'; readonly what: string }
  | { readonly kind: 'none' };

/** Base64 → text; core has no Buffer. */
export type Decode = (base64: string) => string;

/** Finds a registry's credentials in `config.json`, by the names that docker, podman and Kubernetes use. */
export function registryEntry(config: unknown, host: string, decode: Decode): RegistryEntry {
  const { auths = {}, credHelpers = {}, credsStore } = asConfig(config);
  const names = host === 'docker.io' ? [...hubNames, host] : [host];
  for (const [key, entry] of Object.entries(auths)) {
    const name = key.replace(/^https?:\/\//, '').replace(/\/.*$/, '');
    if (names.includes(key) || names.includes(name))
      return fromEntry(entry, decode) ?? helperOf(host, credHelpers, credsStore);
  }
  return helperOf(host, credHelpers, credsStore);
}

const hubNames = ['https://index.docker.io/v1/', 'index.docker.io', 'registry-1.docker.io'];

interface Config {
  readonly auths?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly credHelpers?: Readonly<Record<string, string>>;
  readonly credsStore?: string;
}

function asConfig(config: unknown): Config {
  return typeof config === 'object' && config !== null ? config : {};
}

function fromEntry(entry: Readonly<Record<string, string>>, decode: Decode): RegistryEntry | undefined {
  if (entry['identitytoken']) return { kind: 'elsewhere', what: 'an identity token' };
  if (entry['username'] !== undefined && entry['password'] !== undefined)
    return { kind: 'user', username: entry['username'], password: entry['password'] };
  const pair = entry['auth'] === undefined ? '' : decode(entry['auth']);
  const colon = pair.indexOf(':');
  return colon < 0 ? undefined : { kind: 'user', username: pair.slice(0, colon), password: pair.slice(colon + 1) };
}

function helperOf(host: string, helpers: Readonly<Record<string, string>>, store: string | undefined): RegistryEntry {
  const helper = helpers[host] ?? store;
  return helper === undefined
    ? { kind: 'none' }
    : { kind: 'elsewhere', what: `the helper docker-credential-${helper}` };
}
