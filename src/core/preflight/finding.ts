export type Verdict = 'pass' | 'warn' | 'fail';

/** What a check is about; the order is that of the report. */
export const areas = ['tools', 'cluster', 'permissions', 'connectivity', 'credentials', 'leftovers'] as const;
export type Area = (typeof areas)[number];

/** One thing that a check has seen. */
export interface Finding {
  readonly verdict: Verdict;
  /** What it is about: `kubectl`, `node worker-1`, `registry quay.io`. */
  readonly about: string;
  /** What was seen, in words. */
  readonly saw: string;
  /** What to do; commands stand in backticks. Always there unless it passed. */
  readonly fix?: string;
  /** False: nobody has looked, and `saw` says why. */
  readonly looked?: false;
  /** Of an address that was tried. */
  readonly endpoint?: Endpoint;
}

export interface Endpoint {
  readonly address: string;
  readonly from: 'here' | 'cluster';
  /** The proxy on the way. */
  readonly via?: string;
  readonly milliseconds?: number;
}

/** A check after it ran. */
export interface CheckResult {
  readonly id: string;
  readonly title: string;
  readonly area: Area;
  /** The worst of its findings. */
  readonly verdict: Verdict;
  readonly seconds: number;
  readonly findings: readonly Finding[];
}

export function passed(about: string, saw: string): Finding {
  return { verdict: 'pass', about, saw };
}

export function warned(about: string, saw: string, fix: string): Finding {
  return { verdict: 'warn', about, saw, fix };
}

export function failed(about: string, saw: string, fix: string): Finding {
  return { verdict: 'fail', about, saw, fix };
}

/** Nobody has looked: never a pass, and what to do to have it looked at. */
export function unseen(about: string, why: string, fix: string): Finding {
  return { verdict: 'warn', about, saw: `not looked at: ${why}`, fix, looked: false };
}

/** The worst of them; nothing found is nothing wrong. */
export function worst(findings: readonly Pick<Finding, 'verdict'>[]): Verdict {
  if (findings.some(({ verdict }) => verdict === 'fail')) return 'fail';
  return findings.some(({ verdict }) => verdict === 'warn') ? 'warn' : 'pass';
}
