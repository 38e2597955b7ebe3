import type { ObservedApplication } from '../../core/plan/observed.ts';
import { splitApplication } from '../../core/platform/application-name.ts';
import { ApiError } from '../kubernetes/errors.ts';
import { type ApplicationViewOptions, applicationPath, createApplicationWatches } from './application-watches.ts';
import { type ChangeBell, createChangeBell } from './change-bell.ts';
import type { RawApplication } from './operation-patch.ts';
import { parseApplication } from './parse-application.ts';
import { createWaitingLine, type WaitingLine } from './waiting-line.ts';

/** The Applications as the watches show them, and as our own writes have left them. */
export interface ApplicationView {
  readonly isWatching: () => boolean;
  ready(signal: AbortSignal): Promise<void>;
  names(): readonly string[];
  /** As the API server sent it. */
  raw(name: string): RawApplication | undefined;
  application(name: string): ObservedApplication | undefined;
  readonly line: WaitingLine['line'];
  changed(name: string, until: number, signal: AbortSignal): Promise<void>;
  patch(name: string, body: object, signal: AbortSignal): Promise<'done' | 'conflict' | 'missing'>;
}

/** How long a watch may lag behind a write of ours. */
const overdueMs = 1_500;

export function createApplicationView(options: ApplicationViewOptions): ApplicationView {
  const { client, clock, namespace } = options;
  const bell = createChangeBell(clock);
  const waiting = createWaitingLine(clock);
  const watches = createApplicationWatches(options, noting(bell, waiting, { names: () => watches.names(), raw }));
  const written = new Map<string, { readonly object: RawApplication; readonly at: number }>();

  /** Our own writes are seen at once: what the API server answered stands until the watch has caught up with it. */
  function raw(name: string): RawApplication | undefined {
    const watched = watches.get(name);
    const own = written.get(name)?.object;
    if (own === undefined || watched === undefined) return watched;
    if (newer(own, watched)) return own;
    written.delete(name);
    return watched;
  }

  /** Our own write is a probe of the watch: what it has not shown for so long it will not show any more. */
  function doubtASilentWatch(name: string): void {
    const own = written.get(name);
    if (own === undefined || clock.now() - own.at < overdueMs) return;
    const watched = watches.get(name);
    if (watched !== undefined && newer(own.object, watched)) watches.doubt(name);
  }

  return {
    isWatching: watches.isWatching,
    ready: watches.ready,
    names: watches.names,
    raw,
    application(name) {
      const object = raw(name);
      if (object === undefined) return undefined;
      const parsed = parseApplication(object);
      return parsed.name === name ? parsed : elsewhere(parsed, name);
    },
    line: waiting.line,
    async changed(name, until, signal) {
      watches.mustBeAllowed();
      await bell.changed(name, until, signal);
      watches.mustBeAllowed();
    },
    async patch(name, body, signal) {
      doubtASilentWatch(name);
      try {
        const path = applicationPath(namespace, name);
        // All our patches are compare-and-swap, or set annotations to the same value again.
        const object = await client.mergePatch<RawApplication>(path, body, signal, { repeatable: true });
        written.set(name, { object, at: clock.now() });
        waiting.note(name, raw(name));
        return 'done';
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return 'missing';
        if (error instanceof ApiError && error.status === 409) return 'conflict';
        throw error;
      }
    },
  };
}

/** The same bell, and the line hears what it rings for. */
function noting(
  bell: ChangeBell,
  waiting: WaitingLine,
  { names, raw }: Pick<ApplicationView, 'names' | 'raw'>,
): ChangeBell {
  return {
    ...bell,
    ring(name) {
      waiting.note(name, raw(name));
      bell.ring(name);
    },
    ringAll() {
      waiting.only(names());
      for (const name of names()) waiting.note(name, raw(name));
      bell.ringAll();
    },
  };
}

/** Outside of Argo CD's namespace everything is named with its namespace. */
function elsewhere(parsed: ObservedApplication, name: string): ObservedApplication {
  const { namespace } = splitApplication(name);
  const madeBy = parsed.madeBy === undefined ? undefined : `${namespace}/${parsed.madeBy}`;
  return { ...parsed, name, madeBy };
}

/** resourceVersions of one object are numbers that rise. */
function newer(a: RawApplication, b: RawApplication): boolean {
  return Number(a.metadata.resourceVersion) > Number(b.metadata.resourceVersion);
}
