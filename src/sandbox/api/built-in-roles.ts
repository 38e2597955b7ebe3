/** One rule of a Role. */
export interface Rule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

/** What a real cluster grants from the start, without anybody having bound it. */
export const builtInBindings: readonly { group: string; role: string; rules: readonly Rule[] }[] = [
  {
    group: 'system:authenticated',
    role: 'system:basic-user',
    rules: [
      {
        verbs: ['create'],
        apiGroups: ['authorization.k8s.io'],
        resources: ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'],
      },
      { verbs: ['create'], apiGroups: ['authentication.k8s.io'], resources: ['selfsubjectreviews'] },
    ],
  },
  publicInfo('system:authenticated'),
  publicInfo('system:unauthenticated'),
  {
    group: 'system:authenticated',
    role: 'system:discovery',
    rules: [
      {
        verbs: ['get'],
        nonResourceURLs: [
          '/api',
          '/api/*',
          '/apis',
          '/apis/*',
          '/healthz',
          '/livez',
          '/openapi',
          '/openapi/*',
          '/readyz',
          '/version',
          '/version/',
        ],
      },
    ],
  },
  {
    group: 'system:serviceaccounts',
    role: 'system:service-account-issuer-discovery',
    rules: [
      {
        verbs: ['get'],
        nonResourceURLs: [
          '/.well-known/openid-configuration',
          '/.well-known/openid-configuration/',
          '/openid/v1/jwks',
          '/openid/v1/jwks/',
        ],
      },
    ],
  },
];

export const clusterAdminRules: readonly Rule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

function publicInfo(group: string): { group: string; role: string; rules: readonly Rule[] } {
  const nonResourceURLs = ['/healthz', '/livez', '/readyz', '/version', '/version/'];
  return { group, role: 'system:public-info-viewer', rules: [{ verbs: ['get'], nonResourceURLs }] };
}
