import type { Comparison } from './comparison.ts';
import type { DesiredState } from './desired-state.ts';
import type { Routine } from './routine.ts';

/** What the controller remembers of one Application between two events; lost when it restarts. */
export interface AppState {
  readonly name: string;
  readonly namespace: string;
  /** What its objects are marked with. */
  readonly instance: string;
  comparison: Comparison | undefined;
  loaded: { readonly id: string; readonly desired: DesiredState } | undefined;
  refresh: RefreshState;
  operation: Routine | undefined;
  /** Somebody has set the phase to Terminating; the end follows in a moment. */
  isTerminating: boolean;
  deletion: Routine | undefined;
  cancelResync: (() => void) | undefined;
  /** The look after the pause between two attempts to heal. */
  cancelSelfHeal: (() => void) | undefined;
  /** A patch of somebody else was overwritten in the controller's cache: nothing happens until the next one. */
  isOverlooking: boolean;
  /** The settings of the health checks have changed: live changes are not noticed until the next full refresh. */
  isBlind: boolean;
  /** The Application, or the controller that knew it, is gone: late timers do nothing. */
  isGone: boolean;
}

/** Only a refresh that compares with the latest commit moves `reconciledAt` and takes the refresh annotation away. */
export type RefreshLevel = 'recent' | 'latest';

export type RefreshState =
  | { readonly stage: 'idle' }
  | { readonly stage: 'queued'; readonly level: RefreshLevel; readonly at: number; readonly cancel: () => void }
  | { readonly stage: 'working'; readonly again: RefreshLevel | undefined; readonly cancel: () => void };

export function newAppState(id: Pick<AppState, 'name' | 'namespace' | 'instance'>): AppState {
  return {
    ...id,
    comparison: undefined,
    loaded: undefined,
    refresh: { stage: 'idle' },
    operation: undefined,
    isTerminating: false,
    deletion: undefined,
    cancelResync: undefined,
    cancelSelfHeal: undefined,
    isOverlooking: false,
    isBlind: false,
    isGone: false,
  };
}

/** Stops everything that is under way for it. */
export function dropAppState(state: AppState): void {
  state.isGone = true;
  if (state.refresh.stage !== 'idle') state.refresh.cancel();
  state.operation?.cancel();
  state.deletion?.cancel();
  state.cancelResync?.();
  state.cancelSelfHeal?.();
}
