import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Report } from '../../src/core/report/report.ts';
import { startProgram } from './program.ts';
import { type Ended, freshTestbed, type RealBed } from './testbed.ts';

const faults = [
  'database=degraded',
  'slow=never-healthy',
  'vault=sealed',
  'hollow=empty',
  'refused=sync-fails',
  'hesitant=sync-fails:1',
];

let bed: RealBed;
let folder: string;

beforeAll(async () => {
  bed = await freshTestbed('real-faults');
  folder = join(bed.state.folder, 'platform');
  mkdirSync(folder);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  await bed.publish(folder, { faults, speed: 1 });
}, 400_000);

afterAll(() => bed?.close());

describe('the faults of the sandbox on a real Argo CD', () => {
  let real: Ended;

  it('fail what they are put on, each for its own reason, and block what needs that (R5.4, INV-4)', async () => {
    real = await bed.run('deploy', folder);
    const failures = Object.fromEntries(real.report.failures.map(({ node, because }) => [node, because]));
    expect(failures, real.err).toEqual({
      database: expect.stringMatching(/^postgresql database\/database: CreateFailed/),
      slow: expect.stringMatching(/^timed out waiting for postgresql slow\/slow/),
      vault: expect.stringMatching(/sealed/),
      hollow: expect.stringMatching(/^it is empty/),
      refused: expect.stringMatching(/refused on purpose/),
    });
    expect(states(real.report)['hesitant-after']).toBe('healthy');
  }, 400_000);

  it('end as the sandbox says they would: same exit code, states, attempts, causes and effects', async () => {
    const { said, ended } = startProgram(bed.program, [
      ...['deploy', folder, '--sandbox', '--speed', 'max', '-o', 'json'],
      ...faults.flatMap((fault) => ['--fault', fault]),
    ]);
    const exitCode = await ended;
    const rehearsed = JSON.parse(said.out) as Report;
    expect([real.exitCode, told(real.report)]).toEqual([exitCode, told(rehearsed)]);
  });
});

function states({ nodes }: Report): Record<string, string> {
  return Object.fromEntries(nodes.map(({ name, state }) => [name, state]));
}

/** What does not depend on how fast a cluster is. */
function told(report: Report): unknown {
  const { outcome, held, failures, nodes } = report;
  return {
    outcome,
    held,
    states: states(report),
    attempts: nodes.map(({ name, attempts }) => [name, attempts]),
    failures: failures.map(({ node, name, blocks }) => ({ node, name, blocks })),
  };
}

const files = {
  'dag.yaml': `apiVersion: tiphys.dev/v1
kind: Platform
name: faults
root: faults-root
defaults:
  timeouts: { sync: 120s, health: 120s }
  retries: { maxAttempts: 2, backoff: 1s }
stacks:
  faults:
    application: faults-stack
    apps:
      database: { type: database }
      database-after: { needs: [database] }
      slow: { type: database, timeouts: { health: 20s } }
      slow-after: { needs: [slow] }
      vault: { type: vault, timeouts: { health: 20s } }
      vault-after: { needs: [vault] }
      hollow: {}
      hollow-after: { needs: [hollow] }
      refused: {}
      refused-after: { needs: [refused] }
      hesitant: {}
      hesitant-after: { needs: [hesitant] }
`,
  'environment.yaml': `name: test
domain: example.com
gitRepository: https://git.example.com/demo/faults.git
gitRevision: main
`,
  'scenario.yaml': `apiVersion: tiphys.dev/v1
kind: Scenario
defaults: { ready: 1s, delete: 1s }
`,
};
