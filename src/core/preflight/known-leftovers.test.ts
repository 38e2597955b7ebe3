import { describe, expect, it } from 'vitest';
import type { Finding } from './finding.ts';
import { judgeDefinitions } from './judge-definitions.ts';
import { judgeSealedSecrets } from './judge-sealed-secrets.ts';
import { judgeLeftovers, type Remains, type SeenWorkload } from './known-leftovers.ts';

const rules = {
  platform: 'acme',
  argocdNamespace: 'argocd',
  workflowsNamespace: 'argo',
  apps: ['vault', 'web'],
  isStrict: true,
};

describe('leftovers (R3.4)', () => {
  it('are none in an empty cluster', () => {
    const findings = judgeLeftovers(remains({ namespaces: ['default', 'kube-system'] }), rules);
    expect(findings.map(({ verdict }) => verdict)).toEqual(['pass', 'pass', 'pass', 'pass']);
  });

  it('fail when an earlier installation is there and does not run, with the way to remove it', () => {
    const findings = judgeLeftovers(remains({ workloads: [workload('argocd', 'argocd-server', false)] }), rules);
    expect(about(findings, 'Argo CD')).toMatchInlineSnapshot(`
      {
        "about": "Argo CD",
        "fix": "For a clean install, first \`tiphys teardown <folder> --confirm acme\`, then \`helm uninstall argocd -n argocd\`.",
        "saw": "left in argocd and not running: argocd-server",
        "verdict": "fail",
      }
    `);
  });

  it('only warn of an Argo CD that runs and is somebody else’s: deploy can use it', () => {
    const findings = judgeLeftovers(remains({ workloads: [workload('argocd', 'argocd-server')] }), rules);
    expect(about(findings, 'Argo CD')?.verdict).toBe('warn');
  });

  it('are no leftovers when `tiphys bootstrap` set this cluster up for this platform', () => {
    const findings = judgeLeftovers(
      remains({ workloads: [workload('argocd', 'argocd-server', false)], bootstrappedFor: 'acme' }),
      rules,
    );
    expect(findings.map(({ verdict }) => verdict)).toEqual(['pass']);
    const other = judgeLeftovers(remains({ bootstrappedFor: 'other' }), rules);
    expect(about(other, 'bootstrap')).toMatchObject({ verdict: 'warn', saw: expect.stringContaining('other') });
  });

  it('fail for a namespace that is going, also right before a bootstrap', () => {
    const going = { name: 'argo', labels: {}, isGoing: true };
    const all = { ...remains({}), namespaces: [going] };
    for (const isStrict of [true, false])
      expect(about(judgeLeftovers(all, { ...rules, isStrict }), 'Argo Workflows')?.verdict).toBe('fail');
  });

  it('name each namespace that a teardown has left, and each that an app may have left', () => {
    const marked = { name: 'data', labels: { 'tiphys.dev/platform': 'acme' }, isGoing: false };
    const all = { ...remains({ namespaces: ['vault', 'elsewhere'] }) };
    const findings = judgeLeftovers({ ...all, namespaces: [...all.namespaces, marked] }, rules);
    expect(about(findings, 'namespace data')).toMatchObject({
      verdict: 'fail',
      fix: expect.stringContaining('--confirm acme'),
    });
    expect(about(findings, 'namespace vault')?.verdict).toBe('warn');
    expect(about(findings, 'namespace elsewhere')).toBe(undefined);
  });

  it('never fail right before a bootstrap, which goes on where one stopped', () => {
    const all = remains({ workloads: [workload('argocd', 'argocd-server', false)], namespaces: ['vault'] });
    expect(judgeLeftovers(all, { ...rules, isStrict: false }).some(({ verdict }) => verdict === 'fail')).toBe(false);
  });
});

describe('definitions (R3.4)', () => {
  it('are listed, and those of Argo without Argo are named with the way to remove them', () => {
    const findings = judgeDefinitions(['applications.argoproj.io', 'certificates.cert-manager.io'], false);
    expect(findings[0]?.saw).toContain('certificates.cert-manager.io');
    expect(findings[1]).toMatchObject({
      verdict: 'warn',
      fix: expect.stringContaining('kubectl delete crd applications.argoproj.io'),
    });
    expect(judgeDefinitions(['applications.argoproj.io'], true).map(({ verdict }) => verdict)).toEqual(['pass']);
  });
});

describe('the key of sealed-secrets (R3.4)', () => {
  const controller = workload('kube-system', 'sealed-secrets-controller');
  const keys = [{ namespace: 'kube-system', name: 'sealed-secrets-key7xk2f' }];
  const strict = { isStrict: true, keepsKey: false, home: 'sealed-secrets' };

  it('must not be lost: a controller that is left fails, with the way to save its key', () => {
    const [finding] = judgeSealedSecrets({ workloads: [controller], keys, isOurs: false }, strict);
    expect(finding).toMatchInlineSnapshot(`
      {
        "about": "sealed-secrets",
        "fix": "Keep a copy of the keys in a safe place: \`kubectl get secret -n kube-system -l sealedsecrets.bitnami.com/sealed-secrets-key -o yaml\`. Then, if what it sealed is still in Git, set \`preflight.keepSealedSecretsKey: true\` in environment.yaml; otherwise remove controller and keys.",
        "saw": "a controller is left in kube-system (1 key)",
        "verdict": "fail",
      }
    `);
  });

  it('may stay when environment.yaml says so, and must be where the new controller looks', () => {
    const kept = { ...strict, keepsKey: true };
    const [elsewhere] = judgeSealedSecrets({ workloads: [controller], keys, isOurs: false }, kept);
    expect(elsewhere?.verdict).toBe('warn');
    const home = [{ namespace: 'sealed-secrets', name: 'sealed-secrets-key7xk2f' }];
    const [right] = judgeSealedSecrets({ workloads: [], keys: home, isOurs: false }, kept);
    expect(right?.verdict).toBe('pass');
  });

  it('is no matter where nothing is left, or where bootstrap has installed it', () => {
    expect(judgeSealedSecrets({ workloads: [], keys: [], isOurs: false }, strict)[0]?.verdict).toBe('pass');
    expect(judgeSealedSecrets({ workloads: [controller], keys, isOurs: true }, strict)[0]?.verdict).toBe('pass');
  });
});

function about(findings: readonly Finding[], what: string): Finding | undefined {
  return findings.find((finding) => finding.about === what);
}

function workload(namespace: string, name: string, isReady = true): SeenWorkload {
  return { namespace, name, isReady, labels: { 'app.kubernetes.io/part-of': namespace } };
}

function remains(given: { namespaces?: string[]; workloads?: SeenWorkload[]; bootstrappedFor?: string }): Remains {
  return {
    namespaces: (given.namespaces ?? []).map((name) => ({ name, labels: {}, isGoing: false })),
    workloads: given.workloads ?? [],
    bootstrappedFor: given.bootstrappedFor,
  };
}
