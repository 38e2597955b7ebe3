import { expect, test } from 'vitest';
import { caseSettings } from './argocd-cases.ts';
import { lastMessage, play, readRecordings, sequence } from './argocd-replay.ts';

// Each case was played on Argo CD 3.4.6; the sandbox, driven the same way, must show the same states in the same order.
for (const recording of readRecordings()) {
  test(`an Application goes through the recorded states: ${recording.case}`, async () => {
    const played = await play(recording, caseSettings[recording.case] ?? {});
    const names = new Set(recording.steps.flatMap((step) => ('application' in step ? [step.application] : [])));
    for (const name of names) {
      expect(sequence(played, name)).toEqual(sequence(recording.steps, name));
      expect(lastMessage(played, name)).toEqual(lastMessage(recording.steps, name));
    }
  });
}
