import { TimeoutError } from '../kubernetes/errors.ts';
import { proxyName } from './proxy-for.ts';
import { ProxyRefusal } from './tunnel.ts';

/** Why nobody answered, and what somebody can do about it. */
export interface Unreached {
  readonly reached: false;
  readonly because: string;
  readonly fix: string;
  /** The proxy on the way. */
  readonly via: string | undefined;
}

/** Turns what a connection threw into a sentence and a remedy. */
export function whyUnreached(error: unknown, target: URL, proxy: URL | undefined): Unreached {
  const via = proxy === undefined ? undefined : proxyName(proxy);
  const told =
    error instanceof ProxyRefusal && via !== undefined ? refusedBy(via, error) : reasonOf(error, target, via);
  return { reached: false, via, ...told };
}

interface Reason {
  readonly because: string;
  readonly fix: string;
}

function refusedBy(via: string, { status }: ProxyRefusal): Reason {
  if (status === 407)
    return {
      because: `the proxy ${via} wants a user and a password`,
      fix: 'Put them into the variable: `HTTPS_PROXY=http://<user>:<password>@<proxy>:<port>`.',
    };
  return {
    because: `the proxy ${via} answered ${status} instead of letting us through`,
    fix: 'Have this host allowed there, or name it in `NO_PROXY` if it can be reached without a proxy.',
  };
}

function reasonOf(error: unknown, target: URL, via: string | undefined): Reason {
  if (error instanceof TimeoutError) return silent({ target, via, code: error.message });
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const known = reasons.find(({ codes }) => codes.test(code));
  if (known !== undefined) return known.say({ target, via, code });
  const said = error instanceof Error ? error.message : String(error);
  const because = `the connection to ${whoIs({ target, via })} broke: ${code === '' ? said : code}`;
  return { because, fix: openFix(target, via) };
}

interface Trouble {
  readonly target: URL;
  readonly via: string | undefined;
  readonly code: string;
}

/** By the codes of Node; the first that matches counts. */
const reasons: readonly { readonly codes: RegExp; readonly say: (trouble: Trouble) => Reason }[] = [
  {
    codes: /^(ENOTFOUND|EAI_)/,
    say: (trouble) => ({
      because: `the name of ${whoIs(trouble)} is not known here (${trouble.code})`,
      fix: nameFix(trouble.via),
    }),
  },
  {
    codes: /^ECONNREFUSED$/,
    say: (trouble) => ({
      because: `${whoIs(trouble)} refuses connections`,
      fix: openFix(trouble.target, trouble.via),
    }),
  },
  { codes: /^(ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/, say: (trouble) => silent(trouble) },
  {
    codes: /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    say: ({ target }) => ({
      because: `the certificate of ${target.host} is for another name`,
      fix: 'Use the name that is in its certificate, or have a certificate made for this one.',
    }),
  },
  {
    codes: /^CERT_HAS_EXPIRED$/,
    say: ({ target }) => ({
      because: `the certificate of ${target.host} has expired`,
      fix: 'Renew it, and check this machine’s clock.',
    }),
  },
  {
    codes: /CERT|SELF_SIGNED|UNABLE_TO/,
    say: ({ target, code }) => ({
      because: `nobody here trusts the certificate of ${target.host} (${code})`,
      fix: authorityFix,
    }),
  },
  {
    codes: /EPROTO|ERR_SSL|ERR_TLS/,
    say: ({ target, code }) => ({
      because: `${target.host} does not speak TLS as expected (${code})`,
      fix: 'Check the port. A mirror without TLS is written with `http://` before it.',
    }),
  },
];

function whoIs({ target, via }: Pick<Trouble, 'target' | 'via'>): string {
  return via === undefined ? target.host : `the proxy ${via}`;
}

const authorityFix =
  'If it is your own authority: put its certificate into a PEM file and set `NODE_EXTRA_CA_CERTS=<file>` (or `preflight.certificateAuthority` in environment.yaml).';

function silent({ target, via, code }: Trouble): Reason {
  const where = via === undefined ? target.host : `${target.host} through the proxy ${via}`;
  return { because: `${where} does not answer (${code})`, fix: openFix(target, via) };
}

function nameFix(via: string | undefined): string {
  if (via !== undefined) return 'Correct `HTTPS_PROXY`.';
  return `Check the spelling and this machine’s DNS. ${mirrorFix}`;
}

function openFix(target: URL, via: string | undefined): string {
  if (via !== undefined) return 'Check `HTTPS_PROXY`, and that the proxy runs.';
  return `Open the way from here to ${target.host}, or set \`HTTPS_PROXY\`. ${mirrorFix}`;
}

const mirrorFix =
  'Without a way outside, name your mirrors: `preflight.registries` in environment.yaml, `--charts`, `--git-repository`.';
