import { describe, expect, it } from 'vitest';
import { emptyRun, foldRun } from '../run/fold-run.ts';
import type { Run } from '../run/run.ts';
import type { Finding } from './report.ts';
import { sampleRun, timeAt } from './sample-run.fixture.ts';
import { terminalReport } from './terminal-report.ts';
import { textWidth } from './text-width.ts';
import { toReport } from './to-report.ts';

const sealed = { vault: 'Vault vault/vault-0: sealed; initialised yes, unsealed no' };
const evil = { falco: 'x\u001b[2Jy\u0007\u202ez '.repeat(40) };

describe('terminalReport', () => {
  it('says causes first, then times, then what next', () => {
    expect(print(sampleRun({ failing: sealed }), 80)).toMatchSnapshot();
  });

  it('ends a success with its critical path and what to try', () => {
    const text = print(sampleRun(), 120);
    expect(text).toMatchSnapshot();
    expect(text.split('\n')[0]).toBe('✓ deploy reference: all Healthy · 48 of 48 healthy · 30m 18s');
  });

  it('names every app with its time while there are at most eighty, and stacks beyond that', () => {
    const few = print(sampleRun(), 100);
    for (const name of sampleRun().nodes.keys()) expect(few).toContain(name.slice(0, 20));
    const many = print(sampleRun({ copies: 4 }), 100);
    expect(many.split('\n').length).toBeLessThan(60);
    expect(many).toContain('storage (28/28)');
  });

  it('fits any width and lets no message steer the terminal', () => {
    for (const width of [40, 80, 200]) {
      for (const line of print(sampleRun({ failing: evil }), width).split('\n')) {
        expect(textWidth(line)).toBeLessThanOrEqual(width);
        expect(line).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      }
    }
  });

  it('shows each stack when nothing had to run', () => {
    const skipped = [...sampleRun().nodes.keys()];
    expect(print(sampleRun({ skipped }), 80)).toMatchInlineSnapshot(`
      "✓ deploy reference: all Healthy · 48 of 48 healthy (48 already were) · 1.5s

        ✓ application-infra      1/1  Healthy
        ✓ data-streaming         7/7  Healthy
        ✓ developer-platform     9/9  Healthy
        ✓ development-workloads  3/3  Healthy
        ✓ infrastructure         6/6  Healthy
        ✓ monitoring             6/6  Healthy
        ✓ platform-data          2/2  Healthy
        ✓ security               7/7  Healthy
        ✓ storage                7/7  Healthy"
    `);
  });

  it('lists what a teardown left behind and what it kept on purpose (R7.8)', () => {
    const run = [
      {
        type: 'orphans',
        objects: [{ object: 'ConfigMap data/settings', because: 'nobody owns it', hint: 'Delete it by hand.' }],
      } as const,
      { type: 'retained', objects: [{ object: 'PersistentVolume pv-1', because: 'the policy is retain' }] } as const,
      { type: 'run-finished', outcome: 'orphans', exitCode: 2 } as const,
    ].reduce<Run>((before, body) => foldRun(before, { at: timeAt(1), ...body }), emptyRun);
    expect(print(run, 80, 'teardown')).toMatchInlineSnapshot(`
      "✗ teardown: objects were left behind · 0 of 0 removed · 0s

      Left behind
        · ConfigMap data/settings: nobody owns it
            → Delete it by hand.

      Kept on purpose
        · PersistentVolume pv-1: the policy is retain

      What next
        · Remove the objects that were left behind as described above, then run
          \`tiphys teardown\` again to confirm."
    `);
  });

  it('shows what validate found with its remedy (R7.7)', () => {
    const run = foldRun(emptyRun, { at: timeAt(1), type: 'run-finished', outcome: 'healthy', exitCode: 0 });
    const finding = {
      severity: 'error',
      rule: 'no-ordering-hooks',
      node: 'vault',
      object: 'Job vault/wait-for-ceph',
      what: 'a PreSync hook waits for another application (INV-8)',
      remedy: 'Declare the need in dag.yaml and remove the hook.',
    } as const;
    const info = (node: string): Finding => ({
      severity: 'info',
      rule: 'cascade-finalizer',
      node,
      what: `${node} has no cascade finalizer`,
      remedy: 'Put it into Git.',
    });
    expect(
      terminalReport(toReport(run, { compliance: [info('a'), info('b'), finding] }), { width: 80, color: false }),
    ).toMatchInlineSnapshot(`
      "✓ validate: healthy · 0 of 0 healthy · 0s

      Compliance
        ✗ no-ordering-hooks
            vault Job vault/wait-for-ceph: a PreSync hook waits for another
            application (INV-8)
            → Declare the need in dag.yaml and remove the hook.
        · cascade-finalizer  2 times
            a has no cascade finalizer
            also b
            → Put it into Git.

      What next
        · Mend the finding above in Git, then run \`tiphys validate\` again."
    `);
  });

  it('is the same text with and without colour', () => {
    const report = toReport(sampleRun({ failing: sealed }));
    const coloured = terminalReport(report, { width: 100, color: true });
    expect(coloured).toContain('\u001b[31m');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the codes of our own colours
    expect(coloured.replace(/\u001b\[\d+m/g, '')).toBe(terminalReport(report, { width: 100, color: false }));
  });
});

function print(run: Run, width: number, action?: 'teardown'): string {
  return terminalReport(toReport(run, action === undefined ? {} : { action }), { width, color: false });
}
