import { describe, expect, it } from 'vitest';
import { podOf } from './pod.fixture.ts';
import type { Container } from './pod.ts';
import { type LookUp, resolveEnv } from './resolve-env.ts';

const held: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'configmap/params': { 'log.level': 'info', 'repo.server': 'argocd-repo-server:8081' },
  'secret/argocd-redis': { auth: 'geheim' },
};

describe('the environment of a container', () => {
  it('comes from values, ConfigMaps, Secrets and the pod itself', async () => {
    const env = [
      { name: 'PLAIN', value: 'yes' },
      { name: 'EMPTY' },
      { name: 'LEVEL', valueFrom: { configMapKeyRef: { name: 'params', key: 'log.level' } } },
      { name: 'REDIS_PASSWORD', valueFrom: { secretKeyRef: { name: 'argocd-redis', key: 'auth' } } },
      { name: 'ARGO_NAMESPACE', valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } },
    ];
    expect(await resolve({ env })).toEqual({
      PLAIN: 'yes',
      EMPTY: '',
      LEVEL: 'info',
      REDIS_PASSWORD: 'geheim',
      ARGO_NAMESPACE: 'argocd',
    });
  });

  it('takes whole ConfigMaps and Secrets, with a prefix, and a single value over them', async () => {
    const envFrom = [{ prefix: 'P_', configMapRef: { name: 'params' } }, { secretRef: { name: 'argocd-redis' } }];
    expect(await resolve({ envFrom, env: [{ name: 'auth', value: 'other' }] })).toEqual({
      'P_log.level': 'info',
      'P_repo.server': 'argocd-repo-server:8081',
      auth: 'other',
    });
  });

  it('leaves out what is optional and not there, the object or the key', async () => {
    const optional = (name: string, key: string) => ({ configMapKeyRef: { name, key, optional: true } });
    const env = [
      { name: 'A', valueFrom: optional('params', 'nothing') },
      { name: 'B', valueFrom: optional('nothing', 'log.level') },
    ];
    expect(await resolve({ env, envFrom: [{ secretRef: { name: 'nothing', optional: true } }] })).toEqual({});
  });

  it('says what is missing as a kubelet would', async () => {
    const key = (name: string) => [{ name: 'X', valueFrom: { secretKeyRef: { name, key: 'password' } } }];
    await expect(resolve({ env: key('nothing') })).rejects.toThrow('secret "nothing" not found');
    await expect(resolve({ env: key('argocd-redis') })).rejects.toThrow(
      "couldn't find key password in secret argocd/argocd-redis",
    );
    await expect(resolve({ envFrom: [{ configMapRef: { name: 'nothing' } }] })).rejects.toThrow(
      'configmap "nothing" not found',
    );
  });

  it('knows what stands before, and asks for every object once', async () => {
    const asked: string[] = [];
    const env = [
      { name: 'PASSWORD', valueFrom: { secretKeyRef: { name: 'argocd-redis', key: 'auth' } } },
      { name: 'AGAIN', valueFrom: { secretKeyRef: { name: 'argocd-redis', key: 'auth' } } },
      { name: 'URL', value: 'redis://:$(PASSWORD)@$(HOST)/$$(PASSWORD)' },
    ];
    expect((await resolve({ env }, asked))['URL']).toBe('redis://:geheim@$(HOST)/$(PASSWORD)');
    expect(asked).toEqual(['argocd secret/argocd-redis']);
  });
});

function resolve(container: Partial<Container>, asked: string[] = []) {
  const lookUp: LookUp = async (kind, namespace, name) => {
    asked.push(`${namespace} ${kind}/${name}`);
    return held[`${kind}/${name}`];
  };
  return resolveEnv(podOf('one'), { name: 'main', image: 'x', ...container }, lookUp);
}
