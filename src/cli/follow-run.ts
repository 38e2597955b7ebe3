import { systemClock } from '../adapters/clock/system-clock.ts';
import type { RunEvent } from '../core/run/events.ts';
import { foldEvents } from '../core/run/fold-run.ts';
import type { Run } from '../core/run/run.ts';
import type { Cluster } from './cluster.ts';
import { openEventsFile } from './events-file.ts';
import type { Io } from './io.ts';
import { liveView } from './live-view/live-view.ts';
import { logLine } from './log-lines.ts';
import type { Settings } from './settings.ts';

export interface RunViewOptions {
  readonly io: Io;
  /** Whose time the run goes by. */
  readonly cluster: { readonly world: Pick<Cluster['world'], 'clock'> };
  readonly settings: Settings;
  readonly action: string;
  /** Not the first run of this command: its events come after those of the one before. */
  readonly isLater?: boolean;
}

interface View {
  add(event: RunEvent): void;
  close(): void;
}

/** Listens to a run until it ends: every view is a fold over the same events. Returns the whole run. */
export async function followRun(
  { io, cluster, settings, action, isLater = false }: RunViewOptions,
  events: AsyncGenerator<RunEvent>,
): Promise<Run> {
  const views: View[] = [progressView({ io, cluster, settings, action })];
  if (settings.raw.events !== undefined) views.push(openEventsFile(io, settings.raw.events, isLater ? 'a' : 'w'));
  const told: RunEvent[] = [];
  try {
    for await (const event of events) {
      told.push(event);
      for (const view of views) view.add(event);
    }
    return foldEvents(told);
  } finally {
    for (const view of views) view.close();
  }
}

/** In a terminal a live view; elsewhere, or when logs were asked for in JSON, one line an event. */
function progressView({ io, cluster, settings, action }: RunViewOptions): View {
  if (io.terminal !== undefined && settings.raw.logFormat === undefined && settings.raw.logLevel === undefined) {
    return liveView({
      terminal: io.terminal,
      clock: systemClock,
      runTime: () => cluster.world.clock.now(),
      color: useColor(io, settings, true),
    });
  }
  return {
    add(event) {
      const entry = logLine(event, settings.logFormat, { action, level: settings.logLevel });
      if (entry !== undefined) io.err(`${entry.line}\n`);
    },
    close: () => undefined,
  };
}

export function useColor(io: Io, settings: Settings, isTerminal: boolean): boolean {
  return isTerminal && settings.raw.color !== false && (io.env['NO_COLOR'] ?? '') === '';
}
