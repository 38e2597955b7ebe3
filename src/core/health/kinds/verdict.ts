/** What we think of one object, and why in one sentence. The sentence does not repeat the object's name. */
export type Verdict = { readonly status: VerdictStatus; readonly message: string };

export type VerdictStatus = 'healthy' | 'progressing' | 'degraded' | 'suspended' | 'missing' | 'unknown';

/** `cephWarn`: what HEALTH_WARN means. wait: not yet healthy · accept: good enough · fail: degraded. */
export interface VerdictPolicy {
  readonly cephWarn: 'wait' | 'accept' | 'fail';
}
