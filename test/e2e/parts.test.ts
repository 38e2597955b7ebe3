import { expect, it } from 'vitest';
import { bench, deployOn, platformOf } from '../harness.ts';

const platform = platformOf(`apiVersion: tiphys.dev/v1
kind: Platform
name: parted
stacks:
  core:
    apps:
      operator:
        type: operator
        parts:
          crds: { kinds: [CustomResourceDefinition] }
          account: { kinds: [ServiceAccount] }
      early: { needs: [operator#crds] }
      other: { needs: [operator#account] }
`);

it('takes the word of definitions for their being in force, and that of Argo CD for everything else', async () => {
  const on = bench(platform);
  const { run } = await deployOn(on);
  on.close();
  expect(run.exitCode).toBe(0);
  const [crds, account] = ['operator#crds', 'operator#account'].map((node) => run.nodes.get(node)?.evidence);
  expect(crds).toMatchObject({ operationPhase: 'Succeeded', checks: [expect.stringContaining('Established')] });
  // A comparison is not waited for: Argo CD reads the cluster anew after new definitions, which can take half a minute.
  expect(crds).not.toHaveProperty('refreshedAt');
  expect(account).toMatchObject({ operationPhase: 'Succeeded', sync: 'Synced', refreshedAt: expect.any(String) });
});
