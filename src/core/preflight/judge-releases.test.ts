import { describe, expect, it } from 'vitest';
import { judgeReleases, type SeenRelease } from './judge-releases.ts';

const rules = { isStrict: true, homes: ['argocd', 'argo'], isOurs: false };
const running = [{ namespace: 'argocd', name: 'argocd-server', labels: {}, isReady: true }];

describe('what Helm remembers of an earlier installation (R3.4)', () => {
  it('is named with the way to remove it when nothing of it runs, or it never came to its end', () => {
    const findings = judgeReleases([release(1, 'deployed'), release(1, 'failed', 'argo/workflows')], [], rules);
    expect(findings).toEqual([
      {
        verdict: 'fail',
        about: 'Helm release argocd/argocd',
        saw: 'Helm takes it for installed, and nothing of it runs',
        fix: 'If it is from an earlier installation: `helm uninstall argocd -n argocd`.',
      },
      expect.objectContaining({ about: 'Helm release argo/workflows', saw: 'Helm left it failed' }),
    ]);
  });

  it('is judged by the last revision', () => {
    const interrupted = [release(10, 'pending-upgrade'), release(9, 'deployed'), release(2, 'superseded')];
    expect(judgeReleases(interrupted, running, rules)).toMatchObject([{ saw: 'Helm left it pending-upgrade' }]);
    expect(judgeReleases([release(1, 'failed'), release(2, 'deployed')], running, rules)).toMatchObject([
      { verdict: 'pass' },
    ]);
  });

  it('is nobody’s matter elsewhere, and none when `tiphys bootstrap` installed it', () => {
    expect(judgeReleases([release(1, 'failed', 'shop/web')], [], rules)).toMatchObject([{ verdict: 'pass' }]);
    expect(judgeReleases([release(1, 'failed')], [], { ...rules, isOurs: true })).toMatchObject([{ verdict: 'pass' }]);
  });

  it('only warns right before a bootstrap, which puts it in order', () => {
    expect(judgeReleases([release(1, 'failed')], [], { ...rules, isStrict: false })).toMatchObject([
      { verdict: 'warn', fix: 'Bootstrap brings it to the wanted state.' },
    ]);
  });
});

function release(revision: number, status: string, place = 'argocd/argocd'): SeenRelease {
  const [namespace = '', name = ''] = place.split('/');
  return { namespace, name, revision, status };
}
