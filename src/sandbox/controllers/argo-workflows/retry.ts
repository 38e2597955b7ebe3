import { durationMs, spokenDuration } from './durations.ts';
import { hasFailed, isFulfilled } from './node-phases.ts';
import { markNode } from './nodes.ts';
import type { Operation } from './operation.ts';
import { isPastDeadline, stoppedMessage } from './shutdown.ts';
import type { NodeStatus, RetryStrategy } from './workflow.ts';

/** The latest attempt below a node that retries. */
export function lastAttempt({ nodes }: Operation, parent: NodeStatus): NodeStatus | undefined {
  const attempts = (parent.children ?? []).flatMap((id) => nodes.get(id) ?? []);
  return attempts.findLast(({ nodeFlag }) => nodeFlag?.retried === true);
}

/** Judges the latest attempt: `wait` for the backoff, or `go on`, after the node was marked if its attempts have ended. */
export function reviewAttempts(operation: Operation, parent: NodeStatus, strategy: RetryStrategy): 'wait' | 'go on' {
  const last = lastAttempt(operation, parent);
  if (last === undefined || !isFulfilled(last)) return 'go on';
  const review: Review = { operation, parent, last, strategy, attempts: parent.children?.length ?? 0 };
  const early = endOf(review) ?? endOfTime(review);
  if (early === undefined && mustWait(review)) return 'wait';
  const end = early ?? endOfRetries(review);
  if (end !== undefined) conclude(review, end);
  return 'go on';
}

type Backoff = NonNullable<RetryStrategy['backoff']>;

interface Review {
  readonly operation: Operation;
  readonly parent: NodeStatus;
  readonly last: NodeStatus;
  readonly strategy: RetryStrategy;
  readonly attempts: number;
}

/** Success, or somebody ended the whole: what the node will say. */
function endOf({ operation, last }: Review): string | undefined {
  if (!hasFailed(last)) return '';
  return stoppedMessage(operation) ?? (isPastDeadline(operation) ? 'retry exceeded workflow deadline' : undefined);
}

function conclude({ operation, parent, last }: Review, message: string): void {
  markNode(operation, operation.nodes.get(parent.id) ?? parent, last.phase, message);
}

function endOfTime(review: Review): string | undefined {
  const rule = review.strategy.backoff;
  const first = review.operation.nodes.get(review.parent.children?.[0] ?? '');
  if (first === undefined || rule?.maxDuration === undefined || rule.maxDuration === '') return undefined;
  const end = Date.parse(first.startedAt) + durationMs(rule.maxDuration);
  if (review.operation.context.time.now() > end) return 'Max duration limit exceeded';
  return waitsUntil(review, rule) > end ? 'Backoff would exceed max duration limit' : undefined;
}

function endOfRetries({ strategy, last, attempts }: Review): string | undefined {
  if (!isRetried(strategy, last)) return last.message ?? '';
  return strategy.limit !== undefined && attempts > Number(strategy.limit) ? 'No more retries left' : undefined;
}

function mustWait(review: Review): boolean {
  const { operation, parent, strategy, attempts } = review;
  const { backoff: rule } = strategy;
  if (rule === undefined) return false;
  const isTooEarly = operation.context.time.now() < waitsUntil(review, rule);
  if (isTooEarly && strategy.limit !== undefined && attempts <= Number(strategy.limit)) {
    const waitMs = pauseMs(rule, attempts);
    operation.requeueAfter(waitMs);
    markNode(operation, parent, parent.phase, `Backoff for ${spokenDuration(waitMs)}`);
    return true;
  }
  markNode(operation, parent, parent.phase, '');
  return false;
}

function waitsUntil({ last, attempts }: Review, rule: Backoff): number {
  return Date.parse(last.finishedAt ?? last.startedAt) + pauseMs(rule, attempts);
}

function pauseMs(rule: Backoff, attempts: number): number {
  const base = durationMs(rule.duration ?? '0');
  const factor = Number(rule.factor ?? 0);
  const grown = factor > 0 ? base * factor ** (attempts - 1) : base;
  return rule.cap === undefined || rule.cap === '' ? grown : Math.min(grown, durationMs(rule.cap));
}

function isRetried({ retryPolicy = 'OnFailure' }: RetryStrategy, { phase }: NodeStatus): boolean {
  if (retryPolicy === 'Always') return true;
  return retryPolicy === (phase === 'Failed' ? 'OnFailure' : 'OnError');
}
