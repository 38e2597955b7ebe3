import { stat } from 'node:fs/promises';
import { reach } from '../adapters/network/reach.ts';
import { reachPort } from '../adapters/network/reach-port.ts';
import type { Unreached } from '../adapters/network/why-unreached.ts';
import type { Address } from '../core/preflight/addresses.ts';
import { type Endpoint, type Finding, failed, passed, warned } from '../core/preflight/finding.ts';
import type { Surroundings } from './surroundings.ts';

/** How long one address may take to answer. */
export const addressMs = 10_000;

/** Tries an address from this machine, as the programs that need it would. */
export async function tryAddress(
  { network }: Pick<Surroundings, 'network'>,
  address: Address,
  signal: AbortSignal,
): Promise<Finding> {
  const { about, reach: way } = address;
  if (way.by === 'file') return tryFile(about, way.path);
  if (way.by === 'ssh') {
    const { host, port } = way;
    const answer = await reachPort(network, { host, port, deadlineMs: addressMs, signal });
    const name = `${host}:${port}`;
    if (!answer.reached) return unreached(about, name, answer);
    const endpoint = { address: name, from: 'here' as const, milliseconds: answer.milliseconds };
    return { ...passed(about, `${name} says ${answer.greeting} (${Math.round(answer.milliseconds)} ms)`), endpoint };
  }
  return tryUrl({ network }, { about, url: way.url }, signal);
}

async function tryUrl(
  { network }: Pick<Surroundings, 'network'>,
  { about, url }: { readonly about: string; readonly url: string },
  signal: AbortSignal,
): Promise<Finding> {
  const answer = await reach(network, { url, deadlineMs: addressMs, signal });
  if (!answer.reached) return unreached(about, url, answer);
  const { status, milliseconds, via } = answer;
  const endpoint: Endpoint = { address: url, from: 'here', milliseconds, ...(via === undefined ? {} : { via }) };
  const through = via === undefined ? '' : ` through the proxy ${via}`;
  const saw = `${new URL(url).host} answered ${status} in ${Math.round(milliseconds)} ms${through}`;
  // Also “who are you?” is an answer; credentials are the matter of other checks.
  if (status < 404 || status === 429) return { ...passed(about, saw), endpoint };
  return { ...badStatus(status, url)(about, saw), endpoint };
}

function badStatus(status: number, url: string): (about: string, saw: string) => Finding {
  if (status === 407)
    return (about, saw) =>
      failed(
        about,
        saw,
        'The proxy wants a user and a password: `HTTP_PROXY=http://<user>:<password>@<proxy>:<port>`.',
      );
  if (status >= 500)
    return (about, saw) =>
      failed(
        about,
        saw,
        'Somebody is there and in trouble, or it is a proxy without a way on. Try again, then ask who runs it.',
      );
  return (about, saw) =>
    warned(about, saw, `Nothing is at that path: check the address. \`curl -v ${url}\` shows the answer.`);
}

function unreached(about: string, address: string, { because, fix, via }: Unreached): Finding {
  return { ...failed(about, because, fix), endpoint: { address, from: 'here', ...(via === undefined ? {} : { via }) } };
}

async function tryFile(about: string, path: string): Promise<Finding> {
  const endpoint = { address: path, from: 'here' } as const;
  const isThere = await stat(path).then(
    () => true,
    () => false,
  );
  if (isThere) return { ...passed(about, `${path} is on this machine`), endpoint };
  return {
    ...failed(
      about,
      `${path} is not on this machine`,
      'Correct gitRepository in environment.yaml, or pass `--git-repository`.',
    ),
    endpoint,
  };
}
