import { timestamp } from '../store/store.ts';
import { type Answer, json } from './answer.ts';
import { type Body, decodeObject } from './decode.ts';
import type { ApiRequest } from './handler.ts';
import type { Identity } from './identities.ts';
import { type Attributes, decide, rulesFor } from './rbac.ts';
import type { ResourcePath } from './request-info.ts';
import type { Server } from './server.ts';
import { methodNotAllowed } from './status.ts';

/** Questions that are asked by creating something that is never stored: may I, what may I, who am I. */
export function answerVirtual(
  server: Server,
  request: ApiRequest,
  path: ResourcePath,
  user: Identity,
): Answer | undefined {
  const review = reviews.find(({ group, plural }) => group === path.group && plural === path.plural);
  if (review === undefined || path.version !== 'v1') return undefined;
  if (request.method !== 'POST') throw methodNotAllowed();
  const { group, kind } = review;
  const asked = decodeObject(request, { ...virtualType, ...review, version: 'v1' });
  const answer = review.answer(server, user, (asked['spec'] ?? {}) as Body);
  return json(201, { kind, apiVersion: `${group}/v1`, metadata: {}, ...answer });
}

/** Named so that discovery can list them. */
export const virtualKinds = (): readonly { group: string; plural: string; kind: string }[] => reviews;

const virtualType = {
  singular: '',
  shortNames: [],
  namespaced: false,
  statusSubresource: false,
  custom: false,
};

interface Review {
  readonly group: string;
  readonly plural: string;
  readonly kind: string;
  answer(server: Server, user: Identity, spec: Body): Record<string, unknown>;
}

const reviews: readonly Review[] = [
  {
    group: 'authorization.k8s.io',
    plural: 'selfsubjectaccessreviews',
    kind: 'SelfSubjectAccessReview',
    answer: (server, user, spec) => ({ spec, status: decide(server.store, user, asAttributes(spec)) }),
  },
  {
    group: 'authorization.k8s.io',
    plural: 'subjectaccessreviews',
    kind: 'SubjectAccessReview',
    answer(server, _user, spec) {
      const about = { user: String(spec['user'] ?? ''), groups: (spec['groups'] ?? []) as string[] };
      return { spec, status: decide(server.store, about, asAttributes(spec)) };
    },
  },
  {
    group: 'authorization.k8s.io',
    plural: 'selfsubjectrulesreviews',
    kind: 'SelfSubjectRulesReview',
    answer(server, user, spec) {
      const rules = rulesFor(server.store, user, spec['namespace'] as string | undefined);
      return {
        spec: {},
        status: {
          resourceRules: rules.filter(({ nonResourceURLs }) => nonResourceURLs === undefined),
          nonResourceRules: rules.filter(({ nonResourceURLs }) => nonResourceURLs !== undefined),
          incomplete: false,
        },
      };
    },
  },
  {
    group: 'authentication.k8s.io',
    plural: 'selfsubjectreviews',
    kind: 'SelfSubjectReview',
    answer(server, user) {
      const uid = user.uid === undefined ? {} : { uid: user.uid };
      const userInfo = { username: user.user, ...uid, groups: user.groups };
      return { metadata: { creationTimestamp: timestamp(server.time.now()) }, status: { userInfo } };
    },
  },
];

function asAttributes(spec: Body): Attributes {
  const path = spec['nonResourceAttributes'] as { path?: string; verb?: string } | undefined;
  if (path !== undefined) return { verb: path.verb ?? '', path: path.path ?? '' };
  const given = (spec['resourceAttributes'] ?? {}) as Readonly<Record<string, string | undefined>>;
  const { verb = '', group = '', resource = '' } = given;
  // An empty string means the same as nothing.
  const narrower = (['subresource', 'namespace', 'name'] as const).filter((field) => given[field]);
  return { verb, group, resource, ...Object.fromEntries(narrower.map((field) => [field, given[field]])) };
}
