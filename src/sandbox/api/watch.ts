import { apiVersionOf, type KubeObject } from '../store/objects.ts';
import { type Change, withMeta } from '../store/store.ts';
import type { Answer } from './answer.ts';
import { type ByteStream, byteStream } from './byte-stream.ts';
import { eventLine, rawEventLine } from './encode.ts';
import { negotiate, type Representation } from './negotiate.ts';
import { flag } from './request-info.ts';
import { type Match, selectorOf } from './selectors.ts';
import { type Call, namespaceOf } from './server.ts';
import { failure, internalError, invalidOptions, type Status } from './status.ts';
import { metadataOnly, tableEvents } from './table.ts';

/** Opens a watch: initial state or history first, then every change until the client, the time-out or the server ends it. */
export function watch(call: Call): Answer {
  const representation = negotiate(call.request.headers['accept']);
  const from = startOf(call.info.query);
  const wanted = matcher(call);
  const timers: (() => void)[] = [];
  const closing: (() => void)[] = [];
  const stream = byteStream(() => {
    for (const cancel of [...timers, ...closing]) cancel();
  });
  const writer = writerFor(call, representation, stream);
  if (begin(call, from, wanted, writer)) {
    closing.push(call.server.hub.add(call.type, (change) => follow(change, from.after, wanted, writer)));
    closing.push(endWithSignal(call, stream));
    schedule(call, writer, stream, timers);
  }
  return { status: 200, headers: { 'content-type': 'application/json' }, body: stream };
}

interface Start {
  /** Changes above this revision are shown; undefined: everything from now on. */
  readonly after: number | undefined;
  readonly withState: boolean;
  readonly markEnd: boolean;
}

interface Writer {
  event(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: KubeObject): void;
  bookmark(initialEventsEnd: boolean): void;
  /** The last thing that is written. */
  giveUp(why: Status): void;
}

function startOf(query: URLSearchParams): Start {
  const version = query.get('resourceVersion') ?? '';
  if (version !== '' && !/^\d+$/.test(version)) {
    throw internalError(
      `resourceVersion: Invalid value: "${version}": strconv.ParseUint: parsing "${version}": invalid syntax`,
    );
  }
  if (query.has('sendInitialEvents')) {
    if (query.get('resourceVersionMatch') !== 'NotOlderThan') throw needsNotOlderThan();
    const withState = flag(query, 'sendInitialEvents');
    return { after: undefined, withState, markEnd: withState && flag(query, 'allowWatchBookmarks') };
  }
  const anyVersion = version === '' || version === '0';
  return { after: anyVersion ? undefined : Number(version), withState: anyVersion, markEnd: false };
}

const needsNotOlderThan = () =>
  invalidOptions('ListOptions', {
    reason: 'FieldValueForbidden',
    message: 'Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
    field: 'resourceVersionMatch',
  });

function matcher(call: Call): Match {
  const namespace = namespaceOf(call);
  const selector = selectorOf(call.type, call.info.query);
  return (object) =>
    (namespace === undefined || object.metadata.namespace === namespace) &&
    (selector === undefined || selector(object));
}

/** Sends what was before; false when the stream has ended already because that is not known any more. */
function begin(call: Call, from: Start, wanted: Match, writer: Writer): boolean {
  const { store } = call.server;
  if (from.withState) {
    for (const object of store.list(call.type, namespaceOf(call))) if (wanted(object)) writer.event('ADDED', object);
    if (from.markEnd) writer.bookmark(true);
  }
  if (from.after === undefined) return true;
  const changes = store.since(from.after);
  if (changes === undefined) {
    const gone = failure(
      410,
      'Expired',
      `too old resource version: ${from.after} (${store.compactedRevision + 1})`,
    ).status;
    writer.giveUp(gone);
    return false;
  }
  const { group, plural } = call.type;
  for (const change of changes) {
    if (change.resource.plural === plural && change.resource.group === group) {
      follow(change, from.after, wanted, writer);
    }
  }
  return true;
}

/** A selector turns a change into the event that this watcher sees: objects enter and leave its view. */
function follow(change: Change, after: number | undefined, wanted: Match, writer: Writer): void {
  if (after !== undefined && change.revision <= after) return;
  const before = change.previous !== undefined && wanted(change.previous);
  const now = change.type !== 'DELETED' && wanted(change.object);
  if (now) writer.event(before ? 'MODIFIED' : 'ADDED', change.object);
  else if (before) writer.event('DELETED', lastSeen(change));
}

function lastSeen(change: Change): KubeObject {
  if (change.type === 'DELETED' || change.previous === undefined) return change.object;
  return withMeta(change.previous, { resourceVersion: String(change.revision) });
}

function writerFor(call: Call, representation: Representation, stream: ByteStream): Writer {
  const { store } = call.server;
  const { apiVersion, kind } = { apiVersion: apiVersionOf(call.type), kind: call.type.kind };
  const asTable = representation.as === 'table' ? tableEvents(call) : undefined;
  return {
    event(type, object) {
      if (asTable !== undefined) stream.push(rawEventLine(type, JSON.stringify(asTable(object))));
      else if (representation.as === 'metadata') {
        stream.push(rawEventLine(type, JSON.stringify(metadataOnly(object))));
      } else stream.push(eventLine(type, object));
    },
    bookmark(initialEventsEnd) {
      const annotations = initialEventsEnd ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {};
      const metadata = { resourceVersion: String(store.revision), ...annotations };
      stream.push(rawEventLine('BOOKMARK', JSON.stringify({ kind, apiVersion, metadata })));
    },
    giveUp(why) {
      stream.push(rawEventLine('ERROR', JSON.stringify(why)));
      stream.end();
    },
  };
}

const bookmarkEveryMs = 60_000;
const bookmarkBeforeEndMs = 2_000;
/** A real server ends a watch of which the client names no end after 30 to 60 minutes. */
const defaultTimeoutMs = 45 * 60_000;

function schedule(call: Call, writer: Writer, stream: ByteStream, timers: (() => void)[]): void {
  const { time } = call.server;
  const seconds = Number(call.info.query.get('timeoutSeconds') ?? '');
  const timeoutMs = seconds > 0 ? seconds * 1000 : defaultTimeoutMs;
  timers.push(time.after(timeoutMs, () => stream.end()));
  if (!flag(call.info.query, 'allowWatchBookmarks')) return;
  const last = timeoutMs - bookmarkBeforeEndMs;
  if (last > 0) timers.push(time.after(last, () => writer.bookmark(false)));
  const slot = timers.length;
  const again = (): void => {
    timers[slot] = time.after(bookmarkEveryMs, () => {
      writer.bookmark(false);
      again();
    });
  };
  again();
}

function endWithSignal(call: Call, stream: ByteStream): () => void {
  const { signal } = call.request;
  if (signal === undefined) return () => {};
  const abort = (): void => stream.fail(signal.reason);
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });
  return () => signal.removeEventListener('abort', abort);
}
