import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type RecordedCase, replayer } from './replay.ts';
import { replayCluster } from './replay-cluster.ts';

/** Recorded, but not what the sandbox is for; each with the reason. They are sent all the same where later cases build on them. */
const excluded: Readonly<Record<string, string>> = {};

const file = new URL('./kubernetes-api.jsonl', import.meta.url);
const recorded = readFileSync(file, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as RecordedCase);

describe('the sandbox answers as a recorded Kubernetes 1.34 did', () => {
  const cluster = replayCluster();
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
  for (const { case: name, what } of recorded) {
    if (name in excluded) continue;
    it(`${name}: ${what}`, async () => {
      await done;
      expect(differences.get(name)).toBeUndefined();
    });
  }
});
