import { expand } from './expand.ts';
import type { Container, Pod, Reference, Variable, VariableSource } from './pod.ts';

/** What a ConfigMap or a Secret holds, as text; undefined when there is none. */
export type LookUp = (
  kind: 'configmap' | 'secret',
  namespace: string,
  name: string,
) => Promise<Readonly<Record<string, string>> | undefined>;

/** The container cannot start yet: something it needs is not there. The message is what a kubelet would write into the status. */
export class MissingSettingError extends Error {
  override readonly name = 'MissingSettingError';
}

/** The environment of a container with everything that the cluster holds for it; later entries win, as in Kubernetes. */
export async function resolveEnv(pod: Pod, container: Container, lookUp: LookUp): Promise<Record<string, string>> {
  const env: Record<string, string> = {};
  const find = remembering(lookUp, pod.metadata.namespace);
  for (const source of container.envFrom ?? []) Object.assign(env, await allOf(source, find));
  for (const variable of container.env ?? []) {
    const value = await valueFor(variable, pod, find);
    if (value !== undefined) env[variable.name] = expand(value, env);
  }
  return env;
}

type Find = (kind: Parameters<LookUp>[0], name: string) => ReturnType<LookUp>;

/** Dozens of variables come from two or three objects. */
function remembering(lookUp: LookUp, namespace: string): Find {
  const seen = new Map<string, ReturnType<LookUp>>();
  return (kind, name) => {
    const found = seen.get(`${kind}/${name}`) ?? lookUp(kind, namespace, name);
    seen.set(`${kind}/${name}`, found);
    return found;
  };
}

async function allOf({ prefix = '', configMapRef, secretRef }: VariableSource, find: Find) {
  const held = [await contentOf('configmap', configMapRef, find), await contentOf('secret', secretRef, find)];
  return Object.fromEntries(held.flatMap((data) => Object.entries(data).map(([key, value]) => [prefix + key, value])));
}

async function contentOf(kind: Parameters<LookUp>[0], reference: Reference | undefined, find: Find) {
  if (reference === undefined) return {};
  const data = await find(kind, reference.name);
  if (data === undefined && reference.optional !== true) {
    throw new MissingSettingError(`${kind} "${reference.name}" not found`);
  }
  return data ?? {};
}

async function valueFor({ value, valueFrom = {} }: Variable, pod: Pod, find: Find): Promise<string | undefined> {
  const { configMapKeyRef, secretKeyRef, fieldRef } = valueFrom;
  if (fieldRef !== undefined) return fieldOf(pod, fieldRef.fieldPath);
  const reference = configMapKeyRef ?? secretKeyRef;
  if (reference === undefined) return value ?? '';
  const kind = configMapKeyRef === undefined ? 'secret' : 'configmap';
  const found = (await contentOf(kind, reference, find))[reference.key];
  if (found === undefined && reference.optional !== true) {
    throw new MissingSettingError(
      `couldn't find key ${reference.key} in ${kind} ${pod.metadata.namespace}/${reference.name}`,
    );
  }
  return found;
}

/** undefined for fields that only a real node has. */
function fieldOf({ metadata, spec, status }: Pod, path: string): string | undefined {
  const fields: Readonly<Record<string, string | undefined>> = {
    'metadata.name': metadata.name,
    'metadata.namespace': metadata.namespace,
    'metadata.uid': metadata.uid,
    'spec.nodeName': spec.nodeName,
    'spec.serviceAccountName': spec.serviceAccountName,
    'status.podIP': status?.podIP,
  };
  return fields[path];
}
