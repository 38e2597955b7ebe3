import { parse } from 'yaml';
import type { ApiResponse, Handler } from '../../src/sandbox/api/handler.ts';
import type { Store } from '../../src/sandbox/store/store.ts';
import type { VirtualTime } from '../../src/sandbox/time.ts';
import { type Bindings, difference, newBindings, translate } from './unify.ts';

export interface RecordedCase {
  readonly case: string;
  readonly what: string;
  readonly partOf?: string;
  readonly request: RecordedSending & { readonly user?: string };
  readonly response: {
    readonly status: number;
    readonly headers?: Readonly<Record<string, string | readonly string[]>>;
    readonly body?: unknown;
    readonly events?: readonly { readonly type: string; readonly object: unknown; readonly afterMs: number }[];
    readonly closedByServerAfterMs?: number;
  };
  readonly meanwhile?: readonly (RecordedSending & {
    readonly afterMs: number;
    readonly status: number;
    readonly responseResourceVersion?: string;
  })[];
}

interface RecordedSending {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Sends recorded requests to a sandbox, in order, and says where its answers differ. */
export function replayer({ handle, store, time }: { handle: Handler; store: Store; time: VirtualTime }) {
  const bindings = newBindings();
  const answersInside = new Map<string, Answered>();

  async function play(recorded: RecordedCase): Promise<string | undefined> {
    // Background controllers get the second that they had in the recording.
    await time.sleep(1_000);
    if (recorded.partOf !== undefined) return compareInside(recorded);
    if (recorded.response.events !== undefined) return playWatch(recorded);
    return compare(recorded, await send(recorded.request));
  }

  async function send(request: RecordedSending & { user?: string }): Promise<Answered> {
    const response = await handle(outgoing(request));
    const text = await textOf(response);
    return { status: response.status, headers: response.headers, body: parsed(text) };
  }

  function outgoing(request: RecordedSending & { user?: string }) {
    const body = bodyOf(request.body, bindings);
    const token = tokens[request.user ?? ''];
    return {
      method: request.method,
      path: pathOf(request.path, bindings, store.revision),
      headers: { ...request.headers, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) },
      ...(body === undefined ? {} : { body }),
    };
  }

  function compare({ response }: RecordedCase, actual: Answered): string | undefined {
    if (actual.status !== response.status) {
      return `status ${response.status} expected, got ${actual.status}: ${JSON.stringify(actual.body)?.slice(0, 600)}`;
    }
    const isYaml = actual.headers['content-type'] === 'application/yaml';
    const [wanted, got] = isYaml
      ? [parse(String(response.body)), parse(String(actual.body))]
      : [response.body, actual.body];
    return difference(wanted, got, bindings) ?? headerDifference(response.headers, actual.headers);
  }

  function compareInside(recorded: RecordedCase): string | undefined {
    const actual = answersInside.get(insideKey(recorded.partOf ?? '', recorded.request));
    return actual === undefined ? 'the request was not sent' : compare(recorded, actual);
  }

  async function playWatch(recorded: RecordedCase): Promise<string | undefined> {
    const closing = new AbortController();
    const started = time.now();
    const response = await handle({ ...outgoing(recorded.request), signal: closing.signal });
    const seen = collect(response, () => time.now() - started);
    const { events = [], closedByServerAfterMs } = recorded.response;
    for (const inside of recorded.meanwhile ?? []) {
      await time.sleep(Math.max(0, started + inside.afterMs - time.now()));
      const answer = await send(inside);
      answersInside.set(insideKey(recorded.case, inside), answer);
      if (answer.status !== inside.status) return `meanwhile ${inside.path}: ${answer.status}, not ${inside.status}`;
      learnVersion(inside.responseResourceVersion, answer.body);
    }
    const last = Math.max(closedByServerAfterMs ?? 0, ...events.map(({ afterMs }) => afterMs)) + 5_000;
    await time.sleep(Math.max(0, started + last - time.now()));
    closing.abort();
    await seen.finished;
    return eventDifference(recorded, seen.events, seen.endedAfter);
  }

  function learnVersion(version: string | undefined, body: unknown): void {
    const actual = (body as { metadata?: { resourceVersion?: string } } | undefined)?.metadata?.resourceVersion;
    if (version !== undefined && actual !== undefined && !bindings.versions.has(version)) {
      bindings.versions.set(version, actual);
    }
  }

  function eventDifference(
    { response }: RecordedCase,
    actual: readonly { type: string; object: unknown }[],
    endedAfter: () => number | undefined,
  ): string | undefined {
    const { events = [], closedByServerAfterMs } = response;
    const kept = (all: readonly { type: string; object: unknown }[]) =>
      all.filter((event) => !isPlainBookmark(event)).map(({ type, object }) => ({ type, object }));
    const found = difference(kept(events), kept(actual), bindings);
    if (found !== undefined) return found;
    if (events.some(isPlainBookmark) && closedByServerAfterMs !== undefined && !actual.some(isPlainBookmark)) {
      return 'a bookmark is missing';
    }
    const ended = endedAfter();
    if (closedByServerAfterMs === undefined) return ended === undefined ? undefined : 'the watch ended by itself';
    const late = ended === undefined || Math.abs(ended - closedByServerAfterMs) > 500;
    return late ? `closed after ${ended} ms, not ${closedByServerAfterMs}` : undefined;
  }

  return { play, bindings };
}

const tokens: Readonly<Record<string, string | undefined>> = {
  '': 'admin',
  'serviceaccount api-core/nobody': 'nobody',
  'bad token': 'wrong',
  anonymous: undefined,
};

const insideKey = (name: string, { method, path }: RecordedSending): string => `${name} ${method} ${path}`;

function isPlainBookmark({ type, object }: { type: string; object: unknown }): boolean {
  return type === 'BOOKMARK' && !JSON.stringify(object).includes('initial-events-end');
}

/** Recorded versions become the sandbox's; a version that no answer showed was that of a list just before. */
function pathOf(path: string, bindings: Bindings, current: number): string {
  return path
    .replace(/continue=([\w-]+)/, (_all, token: string) => `continue=${continueToken(token, bindings)}`)
    .replace(/resourceVersion=(\d{5})\b/, (_all, version: string) => {
      return `resourceVersion=${bindings.versions.get(version) ?? current}`;
    });
}

function continueToken(token: string, bindings: Bindings): string {
  try {
    const decoded = JSON.parse(Buffer.from(token, 'base64url').toString()) as { rv: number };
    const rv = Number(bindings.versions.get(String(decoded.rv)) ?? decoded.rv);
    return Buffer.from(JSON.stringify({ ...decoded, rv })).toString('base64url');
  } catch {
    return token;
  }
}

function bodyOf(body: unknown, bindings: Bindings): string | undefined {
  if (body === undefined || body === null) return undefined;
  if (typeof body !== 'string') return translate(spaced(body), bindings);
  const long = /^<(ConfigMap|Workflow) .* (\d+) characters>$/.exec(body);
  if (long === null) return translate(body, bindings);
  const value = 'x'.repeat(Number(long[2]));
  return JSON.stringify(
    long[1] === 'ConfigMap'
      ? { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'big' }, data: { a: value } }
      : { apiVersion: 'argoproj.io/v1alpha1', kind: 'Workflow', metadata: { name: 'big' }, spec: { value } },
  );
}

/** JSON with the spaces that the recording client wrote; one error message quotes them. */
function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([field, item]) => `${JSON.stringify(field)}: ${spaced(item)}`)
    .join(', ')}}`;
}

async function textOf(response: ApiResponse): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function collect(response: ApiResponse, elapsed: () => number) {
  const events: { type: string; object: unknown }[] = [];
  let ended: number | undefined;
  const read = async (): Promise<void> => {
    try {
      for await (const chunk of response.body) {
        for (const line of Buffer.from(chunk).toString().split('\n')) if (line !== '') events.push(JSON.parse(line));
      }
      ended = elapsed();
    } catch {
      // The replay closed it.
    }
  };
  return { events, finished: read(), endedAfter: () => ended };
}

function headerDifference(
  expected: RecordedCase['response']['headers'],
  actual: Readonly<Record<string, string>>,
): string | undefined {
  for (const [name, value] of Object.entries(expected ?? {})) {
    const wanted = typeof value === 'string' ? value : value.join(', ');
    if (actual[name] !== wanted) return `header ${name}: expected ${wanted}, got ${actual[name]}`;
  }
  return undefined;
}
