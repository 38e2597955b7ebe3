import { placeOf, urlParts } from './url-parts.ts';

/** An address that somebody must be able to reach. */
export interface Address {
  /** For people: `Git repository`, `registry quay.io`, `charts of argo-cd`. */
  readonly about: string;
  readonly reach:
    | { readonly by: 'http'; readonly url: string }
    | { readonly by: 'ssh'; readonly host: string; readonly port: number }
    | { readonly by: 'file'; readonly path: string };
}

/** Where the images of the bootstrap come from: Argo's own; its cache; sealed-secrets, the EventBus and the executor. */
export const usualRegistries = ['quay.io', 'ecr-public.aws.com', 'docker.io'] as const;

/** How Git gets there: over HTTP(S), SSH, or from a folder of this machine. */
export function gitAddress(repository: string): Address {
  const about = 'Git repository';
  if (/^https?:\/\//i.test(repository)) {
    const url = `${repository.replace(/\/+$/, '')}/info/refs?service=git-upload-pack`;
    return { about, reach: { by: 'http', url } };
  }
  const ssh = sshTarget(repository);
  if (ssh !== undefined) return { about, reach: { by: 'ssh', ...ssh } };
  return { about, reach: { by: 'file', path: repository.replace(/^file:\/\//, '') } };
}

/** `ssh://git@host:2222/team/repo`, or the short form `git@host:team/repo`. */
function sshTarget(repository: string): { host: string; port: number } | undefined {
  const parts = urlParts(repository);
  if (parts?.scheme === 'ssh' || parts?.scheme === 'git+ssh') return { host: parts.host, port: parts.port ?? 22 };
  const short = /^(?:[^\s@/]+@)([^\s:/]+):(?!\/\/)\S+$/.exec(repository);
  return short?.[1] === undefined ? undefined : { host: short[1], port: 22 };
}

/** `quay.io`, `registry.example.com:5000/mirror` or `http://127.0.0.1:5000` → where its API is. */
export function registryBase(registry: string): string {
  const { scheme, host } = registryParts(registry);
  return `${scheme}://${host === 'docker.io' ? 'registry-1.docker.io' : host}`;
}

/** The name that a Docker configuration knows it by. */
export function registryHost(registry: string): string {
  return registryParts(registry).host;
}

/** Where its API answers, also to whoever may not pull. */
export function registryAddress(registry: string): Address {
  return {
    about: `registry ${registryHost(registry)}`,
    reach: { by: 'http', url: `${registryBase(registry)}/v2/` },
  };
}

function registryParts(registry: string): { scheme: string; host: string } {
  const [, scheme = 'https', rest = registry] = /^(https?|oci):\/\/(.*)$/i.exec(registry) ?? [];
  return { scheme: scheme === 'oci' ? 'https' : scheme.toLowerCase(), host: rest.split('/', 1)[0] ?? rest };
}

/** Where a chart comes from: a Helm repository's index, or a registry. */
export function chartAddress(source: string): Address {
  if (/^oci:\/\//i.test(source))
    return { about: `charts at ${registryHost(source)}`, reach: { by: 'http', url: `${registryBase(source)}/v2/` } };
  const base = source.replace(/\/+$/, '');
  return { about: `charts at ${placeOf(base)}`, reach: { by: 'http', url: `${base}/index.yaml` } };
}

/** What else the environment says must answer. */
export function endpointAddress(url: string): Address {
  return { about: placeOf(url), reach: { by: 'http', url } };
}
