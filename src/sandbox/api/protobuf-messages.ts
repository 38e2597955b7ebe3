/** One field of a protobuf message: its JSON name and how its bytes are read. */
export interface Field {
  readonly name: string;
  readonly type: 'string' | 'int' | 'bool' | 'base64' | 'raw' | Message;
  readonly repeated?: boolean;
  readonly map?: boolean;
}

export interface Message {
  readonly [number: number]: Field;
}

const string = (name: string): Field => ({ name, type: 'string' });
const strings = (name: string): Field => ({ name, type: 'string', repeated: true });
const one = (name: string, type: Message): Field => ({ name, type });
const many = (name: string, type: Message): Field => ({ name, type, repeated: true });

const objectMeta: Message = {
  1: string('name'),
  2: string('generateName'),
  3: string('namespace'),
  5: string('uid'),
  6: string('resourceVersion'),
  11: { name: 'labels', type: 'string', map: true },
  12: { name: 'annotations', type: 'string', map: true },
  14: strings('finalizers'),
};
const metadata = one('metadata', objectMeta);

const policyRule: Message = {
  1: strings('verbs'),
  2: strings('apiGroups'),
  3: strings('resources'),
  4: strings('resourceNames'),
  5: strings('nonResourceURLs'),
};
const subject: Message = { 1: string('kind'), 2: string('apiGroup'), 3: string('name'), 4: string('namespace') };
const roleRef: Message = { 1: string('apiGroup'), 2: string('kind'), 3: string('name') };
const role: Message = { 1: metadata, 2: many('rules', policyRule) };
const binding: Message = { 1: metadata, 2: many('subjects', subject), 3: one('roleRef', roleRef) };

const accessReview: Message = {
  1: one('resourceAttributes', {
    1: string('namespace'),
    2: string('verb'),
    3: string('group'),
    4: string('version'),
    5: string('resource'),
    6: string('subresource'),
    7: string('name'),
  }),
  2: one('nonResourceAttributes', { 1: string('path'), 2: string('verb') }),
};

/** By kind; `Unknown` is the envelope around all of them. */
export const messages: Readonly<Record<string, Message>> = {
  Unknown: {
    1: one('typeMeta', { 1: string('apiVersion'), 2: string('kind') }),
    2: { name: 'raw', type: 'raw' },
  },
  Namespace: { 1: metadata, 2: one('spec', { 1: strings('finalizers') }) },
  ConfigMap: {
    1: metadata,
    2: { name: 'data', type: 'string', map: true },
    3: { name: 'binaryData', type: 'base64', map: true },
    4: { name: 'immutable', type: 'bool' },
  },
  Secret: {
    1: metadata,
    2: { name: 'data', type: 'base64', map: true },
    3: string('type'),
    4: { name: 'stringData', type: 'string', map: true },
    5: { name: 'immutable', type: 'bool' },
  },
  ServiceAccount: { 1: metadata },
  Role: role,
  ClusterRole: role,
  RoleBinding: binding,
  ClusterRoleBinding: binding,
  SelfSubjectAccessReview: { 1: metadata, 2: one('spec', accessReview) },
  SelfSubjectRulesReview: { 1: metadata, 2: one('spec', { 1: string('namespace') }) },
  SelfSubjectReview: { 1: metadata },
  TokenRequest: {
    1: metadata,
    2: one('spec', { 1: strings('audiences'), 4: { name: 'expirationSeconds', type: 'int' } }),
  },
  DeleteOptions: {
    1: { name: 'gracePeriodSeconds', type: 'int' },
    2: one('preconditions', { 1: string('uid'), 2: string('resourceVersion') }),
    4: string('propagationPolicy'),
    5: strings('dryRun'),
  },
};
