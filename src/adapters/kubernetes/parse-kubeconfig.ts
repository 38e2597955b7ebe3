import { isAbsolute, resolve } from 'node:path';
import { type Document, parseDocument } from 'yaml';
import * as z from 'zod';
import { ConnectionError } from './connection.ts';

/** Reads the text of a kubeconfig; file names in it become absolute. Errors give places, never content: it holds keys and tokens. */
export function parseKubeconfig(
  text: string,
  { origin, directory }: { origin: string; directory?: string },
): Kubeconfig {
  const document = parseDocument(text, { uniqueKeys: false, prettyErrors: true });
  const error = document.errors[0];
  if (error !== undefined) {
    const at = error.linePos?.[0];
    const where = at === undefined ? '' : ` (line ${at.line}, column ${at.col})`;
    throw new ConnectionError(`${origin} is not YAML${where}`, 'Check it with: kubectl config view');
  }
  const result = Schema.safeParse(plain(document));
  if (!result.success) {
    const path = result.error.issues[0]?.path.join('.') || 'it';
    throw new ConnectionError(
      `${origin} is not a kubeconfig: ${path} is missing or of the wrong type`,
      'Check it with: kubectl config view',
    );
  }
  const { clusters, users, contexts } = result.data;
  const current = result.data['current-context'];
  return {
    origin,
    clusters: clusters.map((one) => ({ ...one, cluster: absolute(one.cluster, directory) })),
    users: users.map((one) => ({ ...one, user: absolute(one.user, directory) })),
    contexts,
    ...(current && { 'current-context': current }),
  };
}

function plain(document: Document): unknown {
  try {
    return document.toJS();
  } catch {
    // Too many aliases: no kubeconfig has any.
    return undefined;
  }
}

// Every tool writes absent values in its own way: null, "" or nothing.
const text = z
  .string()
  .nullish()
  .transform((value) => value || undefined);
const list = <T extends z.ZodType>(item: T) =>
  z
    .array(item)
    .nullish()
    .transform((items) => items ?? []);

const Cluster = z.object({
  server: z.string(),
  'certificate-authority': text,
  'certificate-authority-data': text,
  'insecure-skip-tls-verify': z.boolean().nullish(),
  'tls-server-name': text,
  'proxy-url': text,
});
const User = z.object({
  'client-certificate': text,
  'client-certificate-data': text,
  'client-key': text,
  'client-key-data': text,
  token: text,
  tokenFile: text,
  username: text,
  password: text,
  as: text,
  'as-groups': list(z.string()),
  // Read by the plugin's own code.
  exec: z
    .unknown()
    .optional()
    .transform((value) => value ?? undefined),
  'auth-provider': z
    .unknown()
    .optional()
    .transform((value) => value ?? undefined),
});
const Context = z.object({ cluster: z.string(), user: text, namespace: text });
const Schema = z.object({
  clusters: list(z.object({ name: z.string(), cluster: Cluster })),
  users: list(z.object({ name: z.string(), user: User.nullish().transform((user) => user ?? {}) })),
  contexts: list(z.object({ name: z.string(), context: Context })),
  'current-context': text,
});

export type ClusterEntry = z.output<typeof Cluster>;
export type UserEntry = Partial<z.output<typeof User>>;
export type ContextEntry = z.output<typeof Context>;

export interface Kubeconfig {
  /** How messages call it. */
  readonly origin: string;
  readonly clusters: readonly { readonly name: string; readonly cluster: ClusterEntry }[];
  readonly users: readonly { readonly name: string; readonly user: UserEntry }[];
  readonly contexts: readonly { readonly name: string; readonly context: ContextEntry }[];
  readonly 'current-context'?: string;
}

/** One context with what it names. */
export interface Selected {
  readonly origin: string;
  readonly name: string;
  readonly context: ContextEntry;
  readonly cluster: ClusterEntry;
  readonly user: UserEntry;
}

const fileKeys: ReadonlySet<string> = new Set([
  'certificate-authority',
  'client-certificate',
  'client-key',
  'tokenFile',
]);

function absolute<T extends object>(entry: T, directory: string | undefined): T {
  if (directory === undefined) return entry;
  const pairs = Object.entries(entry).map(([key, value]) => [
    key,
    fileKeys.has(key) && typeof value === 'string' && !isAbsolute(value) ? resolve(directory, value) : value,
  ]);
  // Same keys, same types: only the text of paths changed.
  return Object.fromEntries(pairs) as T;
}
