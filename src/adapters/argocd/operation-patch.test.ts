import { describe, expect, it } from 'vitest';
import { operationPatch } from './operation-patch.ts';

const request = { operationId: 'web/1', runId: 'deploy-1' };
const metadata = { name: 'web', resourceVersion: '7' };

describe('operationPatch', () => {
  it('is a compare-and-swap that copies options, retry and prune from the spec, and clears the old state', () => {
    const spec = {
      syncPolicy: { automated: { prune: true }, syncOptions: ['CreateNamespace=true'], retry: { limit: 2 } },
    };
    expect(operationPatch({ metadata, spec, status: {} }, request)).toEqual({
      metadata: { resourceVersion: '7' },
      operation: {
        initiatedBy: { username: 'tiphys' },
        info: [
          { name: 'tiphys.dev/run', value: 'deploy-1' },
          { name: 'tiphys.dev/step', value: 'web/1' },
        ],
        retry: { limit: 2 },
        sync: { prune: true, syncOptions: ['CreateNamespace=true'] },
      },
      status: { operationState: null },
    });
  });

  it('asks for nothing that the spec does not', () => {
    expect(operationPatch({ metadata }, request)).toMatchObject({ operation: { sync: {} } });
    expect(operationPatch({ metadata }, request)).not.toHaveProperty('status');
    expect(operationPatch({ metadata }, request)).not.toHaveProperty('operation.retry');
  });

  it('syncs only the objects named, and never prunes then', () => {
    const resources = [
      { group: '', kind: 'ConfigMap', namespace: 'web', name: 'a' },
      { group: 'apiextensions.k8s.io', kind: 'CustomResourceDefinition', namespace: undefined, name: 'b' },
    ];
    const spec = { syncPolicy: { automated: { prune: true } } };
    expect(operationPatch({ metadata, spec }, { ...request, resources })).toHaveProperty('operation.sync', {
      resources: [
        { group: '', kind: 'ConfigMap', name: 'a', namespace: 'web' },
        { group: 'apiextensions.k8s.io', kind: 'CustomResourceDefinition', name: 'b' },
      ],
    });
  });
});
