import { describe, expect, it } from 'vitest';
import type { LabelledObject } from './cluster-snapshot.ts';
import { emptiedNamespaces, isFurniture, type Owners, originOf } from './origin-of.ts';

const owners: Owners = {
  platform: 'acme',
  applications: new Set(['acme-root', 'web', 'database', 'team/shop']),
  standing: new Set(['database']),
  inUse: new Set(['database', 'argocd']),
  emptied: new Set(['web', 'sealed-secrets']),
  homes: new Set(['argocd', 'argo', 'argo-events', 'sealed-secrets']),
  volumes: new Map([
    ['of-database', { namespace: 'database', isRetained: false }],
    ['of-web', { namespace: 'web', isRetained: false }],
    ['with-data', { namespace: 'gone', isRetained: true }],
    ['of-nobody', { namespace: undefined, isRetained: false }],
  ]),
};

describe('whose an object is that was not there before (R3.5)', () => {
  it('goes by the Application that Argo CD has written on it', () => {
    expect(originOf(thing('ClusterRole', 'reader', tracked('web')), owners)).toBe('platform');
    expect(originOf(thing('ConfigMap', 'x/settings', tracked('team_shop')), owners)).toBe('platform');
    expect(originOf(thing('StatefulSet', 'database/main', tracked('database')), owners)).toBe('standing');
    expect(originOf(thing('ConfigMap', 'argocd/theirs', tracked('somebody')), owners)).toBe('others');
  });

  it('knows the platform’s Applications, which stand or are left', () => {
    const application = (place: string) => thing('Application', place, { group: 'argoproj.io' });
    expect(originOf(application('argocd/web'), owners)).toBe('platform');
    expect(originOf(application('argocd/database'), owners)).toBe('standing');
    expect(originOf(application('team/shop'), owners)).toBe('platform');
    expect(originOf(application('argocd/somebody'), owners)).toBe('others');
  });

  it('goes by the namespaces that the teardown was to empty', () => {
    expect(originOf(thing('Namespace', 'web', { labels: { 'tiphys.dev/platform': 'acme' } }), owners)).toBe('platform');
    expect(originOf(thing('Secret', 'web/made-by-hand'), owners)).toBe('platform');
    expect(originOf(thing('Secret', 'database/made-by-its-operator'), owners)).toBe('standing');
    expect(originOf(thing('Namespace', 'database'), owners)).toBe('standing');
    const marked = [
      thing('Namespace', 'web', { labels: { 'tiphys.dev/platform': 'acme' } }),
      thing('Namespace', 'other', { labels: { 'tiphys.dev/platform': 'other' } }),
      thing('ConfigMap', 'x/web', { labels: { 'tiphys.dev/platform': 'acme' } }),
    ];
    expect([...emptiedNamespaces(marked, 'acme')]).toEqual(['web']);
  });

  it('knows volumes by their claims, and keeps apart what is to outlive the platform', () => {
    const origins = [...owners.volumes.keys()].map((name) => originOf(thing('PersistentVolume', name), owners));
    expect(origins).toEqual(['standing', 'platform', 'retained', 'others']);
    const definition = thing('CustomResourceDefinition', 'widgets.example.com', {
      group: 'apiextensions.k8s.io',
      labels: { 'tiphys.dev/platform': 'acme' },
    });
    expect(originOf(definition, owners)).toBe('retained');
  });

  it('lists apart what a bootstrap has installed, also where an app of the platform lived beside it', () => {
    const release = { annotations: { 'meta.helm.sh/release-namespace': 'argocd' } };
    const crd = { group: 'apiextensions.k8s.io' };
    for (const object of [
      thing('Namespace', 'argocd'),
      thing('Secret', 'argocd/sh.helm.release.v1.argocd.v1'),
      thing('Deployment', 'sealed-secrets/sealed-secrets-controller', { group: 'apps' }),
      thing('ClusterRole', 'argocd-server', { group: 'rbac.authorization.k8s.io', ...release }),
      thing('Role', 'kube-system/argocd-reader', { group: 'rbac.authorization.k8s.io', ...release }),
      thing('ClusterRole', 'tiphys-deploy', { group: 'rbac.authorization.k8s.io' }),
      thing('ClusterWorkflowTemplate', 'tiphys-sync', { labels: { 'app.kubernetes.io/managed-by': 'tiphys' } }),
      thing('CustomResourceDefinition', 'sealedsecrets.bitnami.com', crd),
      thing('CustomResourceDefinition', 'applications.argoproj.io', crd),
    ])
      expect([object.name, originOf(object, owners)]).toEqual([object.name, 'bootstrap']);
  });

  it('calls everything else of others', () => {
    expect(originOf(thing('Namespace', 'strangers'), owners)).toBe('others');
    expect(originOf(thing('CustomResourceDefinition', 'certificates.cert-manager.io'), owners)).toBe('others');
    expect(originOf(thing('ClusterRole', 'tiphys-deploy'), owners)).toBe('others');
  });

  it('passes over what every namespace gets by itself', () => {
    expect(isFurniture(thing('ServiceAccount', 'web/default'))).toBe(true);
    expect(isFurniture(thing('ConfigMap', 'web/kube-root-ca.crt'))).toBe(true);
    expect(isFurniture(thing('ConfigMap', 'web/default'))).toBe(false);
  });
});

function tracked(application: string): Partial<LabelledObject> {
  return { annotations: { 'argocd.argoproj.io/tracking-id': `${application}:group/Kind:namespace/name` } };
}

function thing(kind: string, place: string, more: Partial<LabelledObject> = {}): LabelledObject {
  const [first = '', second] = place.split('/');
  const where = second === undefined ? { namespace: undefined, name: first } : { namespace: first, name: second };
  return { group: '', kind, ...where, labels: {}, annotations: {}, ...more };
}
