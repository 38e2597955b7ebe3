import { parse } from 'yaml';
import { type Finding, failed, passed, unseen } from './finding.ts';

/** How a mounted secret opens a Git repository. */
export type GitSecret =
  | { readonly kind: 'login'; readonly username: string; readonly password: string }
  /** Lines as `git credential-store` keeps them. */
  | { readonly kind: 'store'; readonly text: string }
  | { readonly kind: 'key'; readonly key: string; readonly knownHosts: string | undefined }
  | { readonly kind: 'unknown' };

/** Reads a secret of one file: a private key, lines of a credential store, YAML with the keys of a folder, or a token. */
export function gitSecretOfFile(text: string): GitSecret {
  const trimmed = text.trim();
  if (trimmed.startsWith('-----BEGIN')) return { kind: 'key', key: `${trimmed}\n`, knownHosts: undefined };
  if (/^https?:\/\/[^\s/]+@\S+$/m.test(trimmed)) return { kind: 'store', text: `${trimmed}\n` };
  if (/^\S+$/.test(trimmed)) return { kind: 'login', username: 'git', password: trimmed };
  return gitSecretOfFolder(new Map(Object.entries(keysOf(trimmed)).map(([key, value]) => [key, String(value)])));
}

function keysOf(text: string): object {
  try {
    const keys: unknown = parse(text);
    return typeof keys === 'object' && keys !== null ? keys : {};
  } catch {
    // Not repeated: it may be a password.
    return {};
  }
}

/** Reads a secret with a file for each key, named as Kubernetes and Argo CD name them. */
export function gitSecretOfFolder(files: ReadonlyMap<string, string>): GitSecret {
  const first = (...names: readonly string[]): string | undefined => {
    return names.map((name) => files.get(name)).find((text) => text !== undefined);
  };
  const key = first('ssh-privatekey', 'sshPrivateKey', 'id_ed25519', 'id_rsa');
  if (key !== undefined) return { kind: 'key', key: `${key.trim()}\n`, knownHosts: first('known_hosts') };
  const password = first('password', 'token')?.trim();
  if (password !== undefined) return { kind: 'login', username: first('username')?.trim() ?? 'git', password };
  const store = first('.git-credentials', 'git-credentials');
  return store === undefined ? { kind: 'unknown' } : { kind: 'store', text: `${store.trim()}\n` };
}

export interface GitAnswer {
  readonly out: string;
  readonly err: string;
  readonly code: number | undefined;
}

export interface GitAsked {
  readonly repository: string;
  readonly revision: string;
  /** Where the credentials came from: `/secrets/git`, or `your own Git configuration`. */
  readonly origin: string;
}

/** What `git ls-remote` said of the repository and the revision. */
export function judgeGit({ out, err, code }: GitAnswer, { repository, revision, origin }: GitAsked): Finding {
  const about = 'Git';
  if (code !== 0) return refused(err, repository, origin);
  const names = out.split('\n').map((line) => line.split('\t')[1] ?? '');
  const isThere = names.some(
    (name) => name === revision || name === `refs/heads/${revision}` || name === `refs/tags/${revision}`,
  );
  if (isThere) return passed(about, `${repository} lets us read ${revision} (${origin})`);
  if (/^[0-9a-f]{7,40}$/.test(revision))
    return passed(
      about,
      `${repository} lets us read it (${origin}); whether it has the commit ${revision} only a fetch can tell`,
    );
  return failed(
    about,
    `${repository} lets us read it, but has no branch or tag ${revision}`,
    'Correct gitRevision in environment.yaml, or push that branch.',
  );
}

function refused(err: string, repository: string, origin: string): Finding {
  const host = /^[a-z+]+:\/\/(?:[^@/]*@)?([^/:]+)|@([^:]+):/i.exec(repository)?.slice(1).find(Boolean) ?? 'the host';
  const known = refusals.find(({ words }) => words.test(err));
  const saw = `${repository} could not be read (${origin}): ${lastLine(err)}`;
  if (known !== undefined) return failed('Git', saw, known.fix(host));
  if (/could not resolve|failed to connect|unable to access|timed out/i.test(err))
    return unseen('Git', `${repository} cannot be reached`, 'Mend “Git is reachable” first.');
  return failed('Git', saw, `Try it by hand: \`git ls-remote ${repository}\`.`);
}

const refusals: readonly { readonly words: RegExp; readonly fix: (host: string) => string }[] = [
  {
    words: /host key verification failed/i,
    fix: (host) =>
      `Nobody here knows the key of ${host}. Compare it with what its owner publishes, then add it: \`ssh-keyscan ${host} >> ~/.ssh/known_hosts\` (or a file known_hosts in the mounted secret).`,
  },
  {
    words: /permission denied \(publickey/i,
    fix: (host) =>
      `${host} does not know this key: add its public half there, or mount another (\`preflight.secrets.git\`).`,
  },
  {
    words: /could not read (username|password)|prompts disabled/i,
    fix: () =>
      'It wants credentials and none were found. Mount a secret with username and password (or a token) and name it in environment.yaml: `preflight.secrets.git`.',
  },
  {
    words: /authentication failed|access denied|invalid credentials|returned error: 40[13]/i,
    fix: () =>
      'The credentials are refused: they are wrong, have run out, or may not read this repository. Make a new token with the right to read.',
  },
  {
    words: /certificate/i,
    fix: () =>
      'Nobody here trusts its certificate. Name your authority: `NODE_EXTRA_CA_CERTS=<PEM file>` or `preflight.certificateAuthority`.',
  },
  {
    words: /not found|does not exist|does not appear to be a git repository/i,
    fix: () =>
      'There is no such repository, or these credentials may not see it. Check gitRepository in environment.yaml.',
  },
  {
    words: /dubious ownership/i,
    fix: () => 'The folder belongs to another user: `git config --global --add safe.directory <folder>`.',
  },
];

/** Git repeats the address; should somebody have put a password there, it goes no further. */
function lastLine(err: string): string {
  const lines = err.trim().split('\n');
  const line = lines.find((text) => /^(fatal|error|remote):/.test(text)) ?? lines.at(-1) ?? '';
  return line.replaceAll(/\/\/[^@/\s]*@/g, '//***@').slice(0, 300) || 'it said nothing';
}
