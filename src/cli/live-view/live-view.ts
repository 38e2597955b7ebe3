import { createLogUpdate } from 'log-update';
import type { RunEvent } from '../../core/run/events.ts';
import { emptyRun, foldRun } from '../../core/run/fold-run.ts';
import type { Clock } from '../../engine/ports.ts';
import { renderLive } from './render-live.ts';

export interface LiveViewOptions {
  readonly terminal: NodeJS.WriteStream;
  /** Real time: paces the redraws. */
  readonly clock: Clock;
  /** The run's time in milliseconds, which in a sandbox may go faster. */
  readonly runTime: () => number;
  readonly color: boolean;
}

export interface LiveView {
  /** Takes note of an event; it is seen with the next redraw. */
  add(event: RunEvent): void;
  /** Takes the view away and gives the cursor back. */
  close(): void;
}

const redrawEveryMs = 100;
const hideCursor = '\u001b[?25l';
const showCursor = '\u001b[?25h';

/** Draws the run in place, at most ten times a second, until it is closed. */
export function liveView(options: LiveViewOptions): LiveView {
  const { terminal, clock, runTime, color } = options;
  // log-update would hide the cursor of stderr, whichever stream it draws on.
  const log = createLogUpdate(terminal, { showCursor: true });
  const stop = new AbortController();
  let run = emptyRun;
  let turn = 0;

  function draw(): void {
    const width = terminal.columns ?? 80;
    // One row stays free: a full screen would scroll at every redraw.
    const rows = (terminal.rows ?? 24) - 1;
    log(renderLive(run, { width, rows, now: new Date(runTime()).toISOString(), color, turn: turn++ }));
  }

  async function keepDrawing(): Promise<void> {
    while (!stop.signal.aborted) {
      draw();
      await clock.sleep(redrawEveryMs, stop.signal).catch(ignoreAbort(stop.signal));
    }
  }

  terminal.write(hideCursor);
  void keepDrawing();
  return {
    add: (event) => {
      run = foldRun(run, event);
    },
    close: () => {
      if (stop.signal.aborted) return;
      stop.abort();
      log.clear();
      log.done();
      terminal.write(showCursor);
    },
  };
}

/** Being woken by the end is what we wait for; anything else is a bug and must be seen. */
function ignoreAbort(signal: AbortSignal): (error: unknown) => void {
  return (error) => {
    if (!signal.aborted) throw error;
  };
}
