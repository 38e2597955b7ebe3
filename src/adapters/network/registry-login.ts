import { type Network, type Reached, reach } from './reach.ts';
import type { Unreached } from './why-unreached.ts';

export interface RegistryUser {
  readonly username: string;
  readonly password: string;
}

export interface LoginOrder {
  /** `https://registry.example.com`, without a path. */
  readonly registry: string;
  /** Without them, whether anybody is let in. */
  readonly user: RegistryUser | undefined;
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
}

export type Login =
  | { readonly result: 'accepted'; readonly answer: Reached }
  /** It does not ask who we are. */
  | { readonly result: 'open'; readonly answer: Reached }
  | { readonly result: 'refused'; readonly because: string; readonly answer: Reached }
  /** Something answers, but no registry. */
  | { readonly result: 'strange'; readonly because: string; readonly answer: Reached }
  | { readonly result: 'unreached'; readonly answer: Unreached };

/** Shows a registry who we are, the way a container runtime does: ask, be told where tokens are given, ask for one. */
export async function registryLogin(network: Network, order: LoginOrder): Promise<Login> {
  const answer = await ask(network, order, `${order.registry}/v2/`);
  if (!answer.reached) return { result: 'unreached', answer };
  if (answer.status === 200)
    return order.user === undefined ? { result: 'open', answer } : basic(network, order, answer);
  if (answer.status !== 401) return { result: 'strange', because: strangeness(answer.status), answer };
  const challenge = answer.headers['www-authenticate'] ?? '';
  const realm = parameter(challenge, 'realm');
  if (!/^bearer /i.test(challenge) || realm === undefined) return basic(network, order, answer);
  return token(network, order, { answer, realm, service: parameter(challenge, 'service') });
}

function ask(network: Network, order: LoginOrder, url: string, user?: RegistryUser): Promise<Reached | Unreached> {
  const { deadlineMs, signal } = order;
  const pair = user === undefined ? undefined : Buffer.from(`${user.username}:${user.password}`).toString('base64');
  const headers = pair === undefined ? {} : { authorization: `Basic ${pair}` };
  return reach(network, { url, headers, deadlineMs, signal });
}

async function basic(network: Network, order: LoginOrder, first: Reached): Promise<Login> {
  if (order.user === undefined) return { result: 'refused', because: 'it asks for a user', answer: first };
  const answer = await ask(network, order, `${order.registry}/v2/`, order.user);
  if (!answer.reached) return { result: 'unreached', answer };
  if (answer.status === 200) return { result: 'accepted', answer };
  return { result: 'refused', because: `it answered ${answer.status} to them`, answer };
}

interface Challenge {
  readonly answer: Reached;
  readonly realm: string;
  readonly service: string | undefined;
}

/** The word of the token server is what counts: a token without a scope opens nothing that could be tried. */
async function token(network: Network, order: LoginOrder, challenge: Challenge): Promise<Login> {
  const { answer, realm, service } = challenge;
  if (!URL.canParse(realm)) return { result: 'strange', because: 'it names no place where tokens are given', answer };
  const place = new URL(realm);
  if (place.protocol !== 'https:' && order.registry.startsWith('https:'))
    return { result: 'strange', because: `it sends us to ${place.origin} without TLS, where no password goes`, answer };
  if (service !== undefined) place.searchParams.set('service', service);
  const given = await ask(network, order, place.href, order.user);
  if (!given.reached) return { result: 'unreached', answer: given };
  if (given.status === 200) return { result: order.user === undefined ? 'open' : 'accepted', answer };
  const who = order.user === undefined ? 'asked without a user' : 'asked with them';
  return {
    result: 'refused',
    because: `${place.host}, where tokens are given, answered ${given.status} when ${who}`,
    answer,
  };
}

function parameter(challenge: string, name: string): string | undefined {
  return new RegExp(`${name}="([^"]*)"`, 'i').exec(challenge)?.[1];
}

function strangeness(status: number): string {
  return status === 404 ? 'there is no registry at that address (404)' : `it answered ${status}`;
}
