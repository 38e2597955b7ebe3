import { areas, type CheckResult, type Finding } from './finding.ts';
import type { ClusterInventory, PreflightReport } from './preflight-report.ts';

export interface PreflightFacts {
  readonly platform: string;
  readonly environment: string;
  readonly cluster: string;
  readonly startedAt: string;
  readonly durationSeconds: number;
  readonly results: readonly CheckResult[];
  readonly inventory: ClusterInventory;
  readonly snapshot: PreflightReport['snapshot'] | undefined;
}

/** Everything that was found as one report, with its verdict: what is missing on this machine is exit 3, any other failure 1. */
export function toPreflightReport(facts: PreflightFacts): PreflightReport {
  const { results, snapshot } = facts;
  const checks = [...results].sort((a, b) => areas.indexOf(a.area) - areas.indexOf(b.area));
  const findings = checks.flatMap((check) => check.findings);
  return {
    kind: 'Preflight',
    platform: facts.platform,
    environment: facts.environment,
    cluster: facts.cluster,
    ...verdictOf(checks),
    startedAt: facts.startedAt,
    durationSeconds: facts.durationSeconds,
    counts: countsOf(findings),
    checks,
    inventory: facts.inventory,
    connectivity: findings.flatMap(connection),
    credentials: checks.filter(({ area }) => area === 'credentials').flatMap((check) => check.findings.map(shortly)),
    ...(snapshot === undefined ? {} : { snapshot }),
  };
}

function verdictOf(checks: readonly CheckResult[]): Pick<PreflightReport, 'outcome' | 'exitCode'> {
  const broken = checks.filter(({ verdict }) => verdict === 'fail');
  if (broken.some(({ area }) => area === 'tools')) return { outcome: 'not-ready', exitCode: 3 };
  if (broken.length > 0) return { outcome: 'not-ready', exitCode: 1 };
  return { outcome: checks.some(({ verdict }) => verdict === 'warn') ? 'warnings' : 'ready', exitCode: 0 };
}

function countsOf(findings: readonly Finding[]): PreflightReport['counts'] {
  const count = (wanted: (finding: Finding) => boolean): number => findings.filter(wanted).length;
  return {
    pass: count(({ verdict }) => verdict === 'pass'),
    warn: count(({ verdict }) => verdict === 'warn'),
    fail: count(({ verdict }) => verdict === 'fail'),
    notLookedAt: count(({ looked }) => looked === false),
  };
}

function connection(finding: Finding): PreflightReport['connectivity'] {
  return finding.endpoint === undefined ? [] : [{ ...finding.endpoint, ...shortly(finding) }];
}

function shortly({ about, verdict, saw }: Finding): Pick<Finding, 'about' | 'verdict' | 'saw'> {
  return { about, verdict, saw };
}
