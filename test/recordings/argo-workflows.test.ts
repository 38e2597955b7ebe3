import { describe, expect, test } from 'vitest';
import { sizesOnly, workflowCases } from './argo-workflows-cases.ts';
import {
  playWorkflows,
  readWorkflowRecordings,
  recordedEvents,
  recordedWrites,
  seen,
  type Write,
} from './argo-workflows-replay.ts';

describe('Argo Workflows in the sandbox does what the real one did', () => {
  for (const recording of readWorkflowRecordings().filter((each) => !sizesOnly.has(each.case))) {
    test(`${recording.case}: ${recording.what}`, async () => {
      const setting = workflowCases[recording.case] ?? {};
      const expected = recordedWrites(recording);
      const { writes, events, answers } = await playWorkflows(recording, setting);
      for (const [index, write] of expected.entries()) {
        expect({ index, ...shown(writes[index], write) }).toEqual({ index, ...shown(write, write) });
      }
      expect(writes.length).toBe(expected.length);
      for (const [index, pause] of pauses(expected).entries()) {
        const off = Math.abs((pauses(writes)[index] ?? 0) - pause);
        expect(off, `the pause before write ${index + 1} was recorded as ${pause} ms`).toBeLessThan(setting.toleranceMs ?? 150);
      }
      const requests = recording.steps.filter(({ request }) => request !== undefined);
      expect(answers.map(({ status }) => status)).toEqual(requests.map(({ request }) => request?.status));
      for (const [index, { object }] of requests.entries()) {
        if (object?.['status'] === undefined || object.kind === 'Status') continue;
        const status = (answers[index]?.object as { status: unknown }).status;
        expect({ index, status }).toEqual({ index, status: (seen(object) as { status: unknown }).status });
      }
      const recorded = recordedEvents(recording);
      if (recorded.length > 0) expect(events.toSorted()).toEqual(recorded.toSorted());
    });
  }
});

/** Of a write, what the recording tells: it leaves out a spec that did not change. */
function shown(write: Write | undefined, recorded: Write): object {
  const object = (write?.object ?? {}) as { kind: string; metadata?: Record<string, unknown>; spec?: unknown; status?: unknown };
  const like = recorded.object as typeof object;
  const { resourceVersion: _version, ...meta } = like.metadata ?? {};
  const metadata = Object.fromEntries(
    [...new Set([...Object.keys(meta), 'labels', 'annotations'])].map((key) => [key, object.metadata?.[key]]),
  );
  return {
    event: write?.event,
    kind: object.kind,
    metadata,
    status: object.status,
    ...(like.spec === undefined ? {} : { spec: object.spec }),
  };
}

function pauses(writes: readonly Write[]): number[] {
  return writes.map(({ ms }, index) => ms - (writes[index - 1]?.ms ?? 0));
}
