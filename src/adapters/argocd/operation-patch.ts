import type { SyncRequest } from '../../engine/ports.ts';
import { runInfo, stepInfo } from './parse-application.ts';

/** An Application as the API server sent it. */
export interface RawApplication {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly resourceVersion: string;
  };
  readonly [field: string]: unknown;
}

/**
 * The merge patch that starts an operation. The resourceVersion makes it a compare-and-swap. Sync options, retry and prune are
 * copied from the spec because only Argo CD's REST handler does that for you; the old operationState goes, or its fields would
 * stay mixed into the new one.
 */
export function operationPatch(object: RawApplication, request: SyncRequest): object {
  const policy = syncPolicy(object);
  const resources = request.resources?.map(({ group, kind, namespace, name }) => ({
    group,
    kind,
    name,
    ...(namespace === undefined ? {} : { namespace }),
  }));
  return {
    metadata: { resourceVersion: object.metadata.resourceVersion },
    operation: {
      initiatedBy: { username: 'tiphys' },
      info: [
        { name: runInfo, value: request.runId },
        { name: stepInfo, value: request.operationId },
      ],
      ...(policy.retry === undefined ? {} : { retry: policy.retry }),
      sync: {
        ...(policy.automated?.prune === true && resources === undefined ? { prune: true } : {}),
        ...(policy.syncOptions === undefined ? {} : { syncOptions: policy.syncOptions }),
        ...(resources === undefined ? {} : { resources }),
      },
    },
    ...(object['status'] === undefined ? {} : { status: { operationState: null } }),
  };
}

interface SyncPolicy {
  readonly automated?: { readonly prune?: boolean };
  readonly syncOptions?: readonly string[];
  readonly retry?: object;
}

function syncPolicy(object: RawApplication): SyncPolicy {
  // Copied verbatim into the operation, where the API server checks it again.
  const spec = object['spec'] as { syncPolicy?: SyncPolicy } | undefined;
  return spec?.syncPolicy ?? {};
}
