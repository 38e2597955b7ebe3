import { timestamp } from '../../store/store.ts';
import type { RefreshLevel } from './app-state.ts';
import {
  type Application,
  type ApplicationStatus,
  type Condition,
  type HealthStatus,
  type ResourceStatus,
  refreshAnnotation,
} from './application.ts';

/** What one refresh found out. */
export interface Assessment {
  readonly sync: 'Synced' | 'OutOfSync' | 'Unknown';
  readonly health: HealthStatus;
  readonly resources?: readonly ResourceStatus[];
  readonly revisions?: readonly string[];
  /** Without the time, which depends on what stood there before. */
  readonly conditions: readonly Omit<Condition, 'lastTransitionTime'>[];
  /** The error that automated sync ran into. */
  readonly condition?: Omit<Condition, 'lastTransitionTime'> | undefined;
  /** The project is missing: the condition is there a moment before the verdict. */
  readonly early?: true;
  readonly isInvalid?: true;
}

/** How the refresh came about, as far as it shows in the status. */
export interface RefreshDetails {
  readonly level: RefreshLevel;
  readonly sawAnnotation: boolean;
  readonly startedAt: number;
  readonly atMs: number;
}

/** The Application with the verdict in its status; its operation is not touched. */
export function withAssessment(current: Application, assessment: Assessment, how: RefreshDetails): Application {
  const before = current.status ?? {};
  const status: ApplicationStatus = {
    ...before,
    sync: syncOf(current, assessment),
    health: healthOf(before, assessment, how.atMs),
    ...(assessment.isInvalid ? {} : { resourceHealthSource: 'appTree' }),
    // The time is that of the comparison's start, in whole seconds.
    ...(how.level === 'latest' && !assessment.isInvalid ? { reconciledAt: timestamp(how.startedAt) } : {}),
  };
  return {
    ...current,
    ...(how.sawAnnotation ? { metadata: withoutRefresh(current) } : {}),
    status: withConditions(withResources(status, assessment), before, assessment, how.atMs),
  };
}

function syncOf(current: Application, assessment: Assessment): NonNullable<ApplicationStatus['sync']> {
  const { source, sources, destination } = current.spec;
  const revisions = assessment.revisions ?? [];
  return {
    status: assessment.sync,
    ...(assessment.isInvalid
      ? {}
      : { comparedTo: { ...(sources === undefined ? { source } : { sources }), destination } }),
    ...(revisions.length === 0 ? {} : sources === undefined ? { revision: revisions[0] as string } : { revisions }),
  };
}

function healthOf(
  before: ApplicationStatus,
  assessment: Assessment,
  atMs: number,
): NonNullable<ApplicationStatus['health']> {
  if (before.health?.status === assessment.health) return before.health;
  return { lastTransitionTime: timestamp(atMs), status: assessment.health };
}

function withResources(status: ApplicationStatus, assessment: Assessment): ApplicationStatus {
  const { resources: _old, ...rest } = status;
  const { resources } = assessment;
  return resources === undefined || resources.length === 0 ? rest : { ...rest, resources };
}

function withConditions(
  status: ApplicationStatus,
  before: ApplicationStatus,
  assessment: Assessment,
  atMs: number,
): ApplicationStatus {
  const { conditions: _old, ...rest } = status;
  const found = assessment.condition === undefined ? [] : [assessment.condition];
  const conditions = [...assessment.conditions, ...found].map((condition) => {
    const same = before.conditions?.find((old) => old.type === condition.type && old.message === condition.message);
    return same ?? { lastTransitionTime: timestamp(atMs), ...condition };
  });
  return conditions.length === 0 ? rest : { ...rest, conditions };
}

function withoutRefresh(current: Application): Application['metadata'] {
  const { [refreshAnnotation]: _taken, ...annotations } = current.metadata.annotations ?? {};
  const { annotations: _old, ...metadata } = current.metadata;
  return Object.keys(annotations).length === 0 ? metadata : { ...metadata, annotations };
}
