import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { sampleRun, timeAt } from '../../core/report/sample-run.fixture.ts';
import { emptyRun, foldRun } from '../../core/run/fold-run.ts';
import type { Run } from '../../core/run/run.ts';
import { renderLive } from './render-live.ts';

const sizes = [
  [80, 24],
  [120, 40],
  [60, 12],
  [200, 60],
  [20, 3],
  [10, 1],
] as const;
const failing = { vault: 'Vault vault/vault-0: sealed', falco: 'DaemonSet falco: Degraded, no kernel headers' };

describe('renderLive', () => {
  it('fits the terminal at any size and any moment of a run', () => {
    for (const seconds of [0, 1, 90, 500, 1020, 1300, 2000]) {
      for (const run of [sampleRun({ seconds, failing }), sampleRun({ seconds, copies: 3 })]) {
        for (const [width, rows] of sizes) {
          const lines = draw(run, { seconds, width, rows }).split('\n');
          expect(lines.length).toBeLessThanOrEqual(rows);
          expect(Math.max(...lines.map((line) => stringWidth(line)))).toBeLessThanOrEqual(width);
        }
      }
    }
  });

  it.each(sizes.slice(0, 4))('shows the middle of a run at %i×%i', (width, rows) => {
    expect(draw(sampleRun({ seconds: 1020 }), { seconds: 1020, width, rows })).toMatchSnapshot();
  });

  it.each(sizes.slice(0, 4))('shows failures at %i×%i', (width, rows) => {
    const text = draw(sampleRun({ seconds: 1150, failing }), { seconds: 1150, width, rows });
    expect(text).toMatchSnapshot();
    expect(text).toContain('✗ vault');
    expect(text).toContain('✗ falco');
  });

  it('says that it reads the cluster before there is a plan', () => {
    const run = foldRun(emptyRun, { at: timeAt(0), type: 'phase-started', phase: 'observe', message: 'reading' });
    expect(draw(run, { seconds: 2, width: 40, rows: 24 })).toContain('observe');
  });

  it('says that it is stopping after an interruption', () => {
    const run = foldRun(sampleRun({ seconds: 90 }), { at: timeAt(91), type: 'run-interrupted', because: 'Ctrl-C' });
    expect(draw(run, { seconds: 91, width: 80, rows: 24 })).toContain('stopping');
  });

  it('turns its spinner with every redraw', () => {
    const frame = { width: 80, rows: 24, now: timeAt(300), color: false };
    const run = sampleRun({ seconds: 300 });
    expect(renderLive(run, { ...frame, turn: 0 })).not.toBe(renderLive(run, { ...frame, turn: 1 }));
  });

  it('lets no message steer the terminal', () => {
    const evil = { falco: 'cleared\u001b[2J\u0007\r\nand\u202e more' };
    const text = draw(sampleRun({ seconds: 1150, failing: evil }), { seconds: 1150, width: 80, rows: 24 });
    expect(text).toContain('cleared\\u{1b}[2J');
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });
});

function draw(run: Run, { seconds, width, rows }: { seconds: number; width: number; rows: number }): string {
  return renderLive(run, { width, rows, now: timeAt(seconds), color: false });
}
