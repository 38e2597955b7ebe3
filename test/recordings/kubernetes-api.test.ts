import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { virtualTime } from '../../src/sandbox/time.ts';
import { type RecordedCase, replayer } from './replay.ts';
import { replayCluster } from './replay-cluster.ts';

/** Recorded, but not asserted; each with the reason. Those that change the cluster are sent all the same, the others are not kept. */
const excluded: Readonly<Record<string, string>> = {
  'readyz-verbose': 'lists the start-up hooks of a Go program',
  apis: 'lists every group of a full cluster; the sandbox serves half of them',
  'apis-group-version-apps': 'the sandbox has no ControllerRevisions',
  'api-v1': 'lists every resource of a full cluster',
  'aggregated-discovery-apis': 'as above; the shape is covered by kubectl',
  'aggregated-discovery-api': 'as above',
  'aggregated-discovery-kubectl-accept': 'as above',
  'root-paths': 'lists every path of a full cluster',
  'openapi-v3-index': 'lists every group of a full cluster',
  'get-accept-protobuf': 'the sandbox does not write protobuf; clients that also accept JSON get that',
  'application-accept-protobuf': 'the body of the 406 is protobuf',
  'duplicate-field-strict': 'JSON.parse does not tell that a key came twice',
  'merge-patch-unknown-field-strict': 'quotes the object in the field order of a Go struct',
  'apply-list-map-key': 'shows what the Deployment controller wrote meanwhile',
  'scale-get-after': 'shows what the Deployment controller wrote meanwhile',
  'deployment-after-scale': 'shows what the Deployment controller wrote meanwhile',
  'status-patch-deployment': 'shows what the Deployment controller wrote meanwhile',
  'event-v1-create': 'events.k8s.io is not served; core Events are',
  'event-v1-invalid': 'events.k8s.io is not served; core Events are',
  'event-field-selector': 'one of the two Events was made through events.k8s.io',
  selfsubjectreview: 'carries the id of a credential that only a real token has',
  'pod-create': 'the sandbox mounts no service account token into pods',
  'pod-delete-unscheduled': 'as above',
  'pod-create-2': 'the recording leaves out the spec',
  'pod-delete-grace-period': 'shows what the scheduler wrote meanwhile',
  'pod-finalizer-remove': 'shows what the scheduler wrote meanwhile',
};

const file = new URL('./kubernetes-api.jsonl', import.meta.url);
const recorded = readFileSync(file, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as RecordedCase);

describe('the sandbox answers as a recorded Kubernetes 1.34 did', () => {
  const cluster = replayCluster(virtualTime());
  const { play, bindings } = replayer(cluster);
  const differences = new Map<string, string | undefined>();
  const done = cluster.time.run(
    (async () => {
      for (const [index, { metadata }] of cluster.old.entries()) {
        bindings.versions.set(String(26783 + index), metadata.resourceVersion ?? '');
      }
      cluster.store.compact(cluster.store.revision);
      for (const one of recorded) differences.set(one.case, await play(one));
    })(),
  );
  it('leaves out only what is named above', () => {
    const asserted = recorded.filter(({ case: name }) => !(name in excluded));
    expect(asserted.length + Object.keys(excluded).length).toBe(346);
  });

  for (const { case: name, what } of recorded) {
    if (name in excluded) continue;
    it(`${name}: ${what}`, async () => {
      await done;
      expect(differences.get(name)).toBeUndefined();
    });
  }
});
