import type { Bench } from '../harness.ts';
import { admin } from './look.ts';

/** The snapshot kind of a CSI driver, and a controller that makes every snapshot ready. */
export async function serveSnapshots(on: Bench): Promise<void> {
  const group = 'snapshot.storage.k8s.io';
  await admin(on, 'POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `volumesnapshots.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: {
        plural: 'volumesnapshots',
        singular: 'volumesnapshot',
        kind: 'VolumeSnapshot',
        listKind: 'VolumeSnapshotList',
      },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        },
      ],
    },
  });
  on.sandbox.store.subscribe(({ type, object }) => {
    if (type !== 'ADDED' || object.kind !== 'VolumeSnapshot') return;
    const { namespace, name } = object.metadata;
    const path = `/apis/${group}/v1/namespaces/${namespace}/volumesnapshots/${name}`;
    on.time.after(5_000, () => void admin(on, 'PATCH', path, { status: { readyToUse: true } }));
  });
}
