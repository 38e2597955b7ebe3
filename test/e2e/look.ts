import type { Run } from '../../src/core/run/run.ts';
import type { RecordedRequest } from '../../src/sandbox/api/recorded-request.ts';
import type { KubeObject } from '../../src/sandbox/store/objects.ts';
import { type Fault, parseFault } from '../../src/sandbox/world/fault.ts';
import type { Bench } from '../harness.ts';

/** Node → state: what most promises are about. */
export function states(run: Run): Record<string, string> {
  return Object.fromEntries([...run.nodes.values()].map(({ name, state }) => [name, state]));
}

export function faults(...texts: readonly string[]): Fault[] {
  return texts.map((text) => {
    const fault = parseFault(text);
    if ('error' in fault) throw new Error(fault.error);
    return fault;
  });
}

/** Every object of the cluster, by kind and name. */
export function objects({ sandbox }: Pick<Bench, 'sandbox'>): ReadonlyMap<string, KubeObject> {
  const found = new Map<string, KubeObject>();
  for (const type of sandbox.types.all())
    for (const object of sandbox.store.list(type))
      found.set(`${object.kind} ${object.metadata.namespace ?? ''}/${object.metadata.name}`, object);
  return found;
}

export function writes({ sandbox }: Pick<Bench, 'sandbox'>, after = 0): readonly RecordedRequest[] {
  return sandbox.requests.filter((request) => request.write).slice(after);
}

/** An Application as it stands in the store. */
export function application(on: Pick<Bench, 'sandbox' | 'platform'>, name: string): KubeObject | undefined {
  return objects(on).get(`Application ${on.platform.environment.argocdNamespace}/${name}`);
}

/** A small platform: `a` ← `b` ← `c`, and `d` alone, under one root. */
export const chain = `apiVersion: tiphys.dev/v1
kind: Platform
name: chain
root: chain-root
stacks:
  s:
    application: chain-s
    apps:
      a: {}
      b: { needs: [a] }
      c: { needs: [b] }
      d: {}
`;

/** Somebody else at the API: an administrator with kubectl. */
export async function admin(
  { sandbox }: Pick<Bench, 'sandbox'>,
  method: string,
  path: string,
  body?: object,
): Promise<{ readonly status: number; readonly body: unknown }> {
  const contentType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const answer = await sandbox.handle({
    method,
    path,
    headers: { 'content-type': contentType, authorization: 'Bearer admin' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  let text = '';
  for await (const chunk of answer.body) text += Buffer.from(chunk).toString();
  return { status: answer.status, body: JSON.parse(text) };
}

export const argocdPath = '/apis/argoproj.io/v1alpha1/namespaces/argocd';
export const leasePath = '/apis/coordination.k8s.io/v1/namespaces/argocd/leases';
