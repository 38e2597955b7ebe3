import { type CheckResult, type Finding, failed, passed, unseen, warned, worst } from './finding.ts';
import type { PreflightReport } from './preflight-report.ts';
import { toPreflightReport } from './to-preflight-report.ts';

/** A check that found this. */
export function checkWith(area: CheckResult['area'], ...findings: readonly Finding[]): CheckResult {
  return { id: area, title: `Check of ${area}`, area, verdict: worst(findings), seconds: 0.4, findings };
}

/** A report of these checks on a small cluster. */
export function reportOf(...results: readonly CheckResult[]): PreflightReport {
  const node = {
    name: 'worker-1',
    roles: [],
    isReady: true,
    takesPods: true,
    version: 'v1.34.1',
    system: 'Debian 12, amd64',
    cpu: 8,
    memoryBytes: 32 * 2 ** 30,
    pods: 110,
    complaints: [],
  };
  const amount = { cpu: 8, memoryBytes: 32 * 2 ** 30, pods: 110 };
  return toPreflightReport({
    platform: 'acme',
    environment: 'production',
    cluster: 'prod-1',
    startedAt: '2026-01-02T03:04:05.000Z',
    durationSeconds: 4.2,
    results,
    inventory: {
      version: 'v1.34.1',
      nodes: [node],
      total: amount,
      free: { ...amount, cpu: 6.5 },
      storageClasses: ['standard'],
      definitions: [],
    },
    snapshot: { takenAt: '2026-01-02T03:04:06.000Z', objects: ['Namespace default', 'Secret default/a'], unread: [] },
  });
}

/** One of everything. */
export function sampleReport(): PreflightReport {
  const registry = {
    ...passed('registry quay.io', 'quay.io answered 401 in 12 ms'),
    endpoint: { address: 'https://quay.io/v2/', from: 'here' as const, milliseconds: 12 },
  };
  const away = unseen('Nodes', 'the API server does not answer', 'Mend “API server answers” first.');
  return reportOf(
    checkWith(
      'leftovers',
      warned('namespace vault', 'has the name of an app', 'Look with `kubectl get all -n vault`.'),
    ),
    checkWith(
      'tools',
      passed('helm', '3.21.4'),
      failed('yq', 'not found in PATH; 4.0 or newer is needed', 'Install yq 4.'),
    ),
    checkWith('cluster', away, { ...away, about: 'Workers' }),
    checkWith('connectivity', registry),
    checkWith('credentials', passed('kubeconfig', 'accepted as admin')),
  );
}
