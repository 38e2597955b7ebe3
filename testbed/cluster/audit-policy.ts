import { stringify } from 'yaml';
import { argocdUsers } from '../audit/argocd-users.ts';
import { operatedGroups } from '../world/operated-kinds.ts';

/**
 * What the API server writes down: every write, and of Argo CD's, the Applications' and what operators report the whole objects, because tests
 * judge by them. Of reads only the watches of who validates, because nobody else tells when they are refused.
 */
export function auditPolicy(): string {
  return stringify({
    apiVersion: 'audit.k8s.io/v1',
    kind: 'Policy',
    omitStages: ['RequestReceived', 'ResponseStarted', 'Panic'],
    omitManagedFields: true,
    rules: [
      { level: 'Metadata', users: ['system:serviceaccount:argocd:tiphys-validate'], verbs: ['watch'] },
      { level: 'None', verbs: ['get', 'list', 'watch'] },
      { level: 'None', resources: [{ group: '', resources: ['events'] }, { group: 'events.k8s.io' }] },
      {
        level: 'None',
        users: ['system:kwok', 'system:kube-scheduler', 'system:kube-controller-manager', 'system:apiserver'],
        resources: [{ group: 'coordination.k8s.io' }],
      },
      { level: 'RequestResponse', users: argocdUsers },
      { level: 'RequestResponse', resources: [{ group: 'argoproj.io', resources: ['applications', 'appprojects'] }] },
      { level: 'RequestResponse', users: ['system:kwok'], resources: operatedGroups.map(statusOf) },
      { level: 'Metadata' },
    ],
  });
}

function statusOf(group: string): object {
  return { group, resources: ['*/status'] };
}
