import { createResourceTypes } from '../store/resource-types.ts';
import { createStore } from '../store/store.ts';
import { virtualTime } from '../time.ts';
import { applicationDefinition, appProjectDefinition } from './argo-definitions.ts';
import { type ApiOptions, createApi } from './create-api.ts';
import { installCrd } from './custom-resources.ts';
import type { Handler } from './handler.ts';

/** A small cluster for the tests in this folder: Argo CD's kinds, one namespace, virtual time. */
export function testCluster(options: Partial<ApiOptions> = {}) {
  const time = virtualTime();
  const store = createStore(time);
  const types = createResourceTypes();
  installCrd(store, types, applicationDefinition);
  installCrd(store, types, appProjectDefinition);
  const namespaces = types.byKind('v1', 'Namespace');
  if (namespaces === undefined) throw new Error('there is no Namespace');
  store.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'argocd' } }, 'test');
  const { handle, requests } = createApi({ store, types, time, ...options });
  return { store, types, time, handle, requests, send: sender(handle) };
}

export const applications = '/apis/argoproj.io/v1alpha1/namespaces/argocd/applications';
export const configMaps = '/api/v1/namespaces/argocd/configmaps';

export function application(name: string) {
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name },
    spec: {
      project: 'default',
      source: { repoURL: 'https://git.example.com/platform.git', path: name },
      destination: { namespace: name },
    },
  };
}

export interface Sent {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AnsweredObject;
}

/** An object, a list or a Status: as much of each as the tests look into. */
export interface AnsweredObject {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
  readonly items: readonly AnsweredObject[];
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: unknown;
  readonly status?: { readonly conditions?: readonly unknown[] };
  readonly message?: string;
}

/** Sends JSON and reads JSON; a PATCH is a merge patch unless told otherwise. */
function sender(handle: Handler) {
  return async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Sent> => {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const answer = await handle({
      method,
      path,
      headers: { 'content-type': type, ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    let text = '';
    for await (const chunk of answer.body) text += Buffer.from(chunk).toString();
    return { status: answer.status, headers: answer.headers, body: parsed(text) as AnsweredObject };
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
