import { type Finding, failed, passed, warned } from './finding.ts';
import type { SeenWorkload } from './known-leftovers.ts';

/** What Helm remembers of a chart that it has installed, or tried to. */
export interface SeenRelease {
  readonly namespace: string;
  readonly name: string;
  readonly revision: number;
  /** Helm's own word: `deployed`, `failed`, `pending-install` … */
  readonly status: string;
}

export interface ReleaseRules {
  /** Right before a bootstrap nothing is in its way: it puts in order what was interrupted. */
  readonly isStrict: boolean;
  /** Where bootstrap installs its charts. */
  readonly homes: readonly string[];
  readonly isOurs: boolean;
}

/** R3.4: where bootstrap will install, Helm must not remember an installation that is not there, or not whole. */
export function judgeReleases(
  releases: readonly SeenRelease[],
  workloads: readonly SeenWorkload[],
  { isStrict, homes, isOurs }: ReleaseRules,
): readonly Finding[] {
  const about = 'Helm releases';
  if (isOurs) return [passed(about, 'installed by `tiphys bootstrap`')];
  const left = newest(releases).filter((release) => homes.includes(release.namespace) && !isWhole(release, workloads));
  if (left.length === 0) return [passed(about, 'none is left of an earlier installation')];
  const complain = isStrict ? failed : warned;
  return left.map(({ namespace, name, status }) =>
    complain(
      `Helm release ${namespace}/${name}`,
      status === 'deployed' ? 'Helm takes it for installed, and nothing of it runs' : `Helm left it ${status}`,
      isStrict
        ? `If it is from an earlier installation: \`helm uninstall ${name} -n ${namespace}\`.`
        : 'Bootstrap brings it to the wanted state.',
    ),
  );
}

/** Of each release its last revision: the ones before are its history. */
function newest(releases: readonly SeenRelease[]): readonly SeenRelease[] {
  const last = new Map<string, SeenRelease>();
  for (const release of releases) {
    const key = `${release.namespace}/${release.name}`;
    if ((last.get(key)?.revision ?? -1) < release.revision) last.set(key, release);
  }
  return [...last.values()];
}

/** What runs there is the matter of the check that looks for it. */
function isWhole({ namespace, status }: SeenRelease, workloads: readonly SeenWorkload[]): boolean {
  return status === 'deployed' && workloads.some((workload) => workload.namespace === namespace);
}
