import { describe, expect, it } from 'vitest';
import type { GraphLayout } from './graph-drawing.ts';
import { htmlReport } from './html-report.ts';
import { pageStyle } from './html-style.ts';
import { markdownReport } from './markdown-report.ts';
import type { Report, ReportNode } from './report.ts';
import { reportSketch } from './report-graph.ts';
import { sampleRun } from './sample-run.fixture.ts';
import { stackHealth } from './stack-health.ts';
import { toReport } from './to-report.ts';

const hostile = `"><script>alert('1')</script><img src=x onerror=y>\u202e&amp;\u0000`;

describe('htmlReport', () => {
  it('needs nothing from outside', () => {
    const page = page47();
    expect(page).not.toMatch(/(src|href)="(?!#)/);
    expect(page).not.toMatch(/url\(|@import|https?:/);
    expect(page).toContain("default-src 'none'");
  });

  it('holds every node in the graph, the table and, when it ran, the timeline', () => {
    const page = page47();
    const report = toReport(sampleRun({ failing: { vault: 'sealed' } }));
    report.nodes.forEach((node, index) => {
      expect(page).toContain(`<tr id="node-${index}"`);
      expect(page).toMatch(new RegExp(`class="node state-${node.state}[^"]*" href="#node-${index}"`));
      const inTimeline = new RegExp(`class="row [^"]*" href="#node-${index}"`).test(page);
      expect(inTimeline).toBe(node.startedAt !== undefined);
    });
  });

  it('shows failures before anything else', () => {
    const page = page47();
    expect(page.indexOf('<h2>Failures')).toBeGreaterThan(0);
    expect(page.indexOf('<h2>Failures')).toBeLessThan(page.indexOf('>Graph<'));
  });

  it('takes nothing from outside for markup, wherever it stands', () => {
    const page = htmlReport(everywhere(hostile), layoutOf(everywhere(hostile)));
    expect(page).not.toContain('<script>alert');
    expect(page).not.toContain('<img');
    expect(page).not.toContain('\u202e');
    expect(page.match(/<script>/g)).toHaveLength(1);
    expect(page).toContain('&lt;script&gt;alert(&#39;1&#39;)');
  });

  it('is a page also for a run of which nothing is known', () => {
    const report = { ...everywhere('x'), nodes: [], criticalPath: [], failures: [], stacks: [], durationSeconds: 0 };
    expect(htmlReport(report)).toContain('</html>');
  });

  it('says of each stack of a teardown what was removed and what stays, and of none that it is Healthy (R7.8)', () => {
    const states = { 'kv-clusters': 'removed', 'pg-clusters': 'retained', loki: 'orphaned', tempo: 'skipped' } as const;
    const page = htmlReport(takenDown(states));
    expect(chipsOf(page)).toEqual([
      'health-Failed: monitoring 1/2 removed, 1 orphaned',
      'health-Retained: platform-data 1/2 removed, 1 retained',
    ]);
    expect(chipsOf(htmlReport(takenDown({ loki: 'removed', tempo: 'skipped' })))).toEqual([
      'health-Removed: monitoring 2/2 removed',
    ]);
    expect(chipsOf(page47())).toContain('health-Healthy: storage 7/7 Healthy');
    for (const name of ['Failed', 'Retained', 'Removed', 'Healthy']) expect(pageStyle).toContain(`.health-${name}`);
  });

  it('has enough contrast in both schemes', () => {
    const [light = '', dark = ''] = pageStyle.split('@media (prefers-color-scheme:dark)');
    for (const scheme of [light, dark]) {
      const colour = (name: string): string => new RegExp(`--${name}:(#[0-9a-f]{3,6})`).exec(scheme)?.[1] ?? '';
      for (const tone of ['good', 'bad', 'warn', 'idle', 'busy']) {
        expect(contrast(colour(tone), colour(`${tone}-bg`)), `${tone} on ${tone}-bg`).toBeGreaterThan(4.5);
        expect(contrast(colour('ink'), colour(`${tone}-bg`)), `ink on ${tone}-bg`).toBeGreaterThan(4.5);
      }
      for (const paper of ['paper', 'sheet', 'bad-bg']) {
        for (const ink of ['ink', 'soft', 'link']) {
          expect(contrast(colour(ink), colour(paper)), `${ink} on ${paper}`).toBeGreaterThan(4.5);
        }
      }
    }
  });
});

describe('markdownReport', () => {
  it('tells the same story', () => {
    expect(
      markdownReport(toReport(sampleRun({ failing: { vault: 'Vault vault/vault-0: sealed' } }))),
    ).toMatchSnapshot();
  });

  it('takes nothing from outside for markup', () => {
    const text = markdownReport(everywhere('<img src=x> | *a* [b](c) `d`\n# e'));
    expect(text).not.toContain('<img');
    expect(text).not.toMatch(/^# e/m);
    expect(text).not.toContain('[b](c)');
  });
});

function page47(): string {
  const report = toReport(sampleRun({ failing: { vault: 'Vault vault/vault-0: sealed' } }));
  return htmlReport(report, layoutOf(report));
}

/** The report of a teardown with these apps of the sample. */
function takenDown(states: Readonly<Record<string, ReportNode['state']>>): Report {
  const report = toReport(sampleRun());
  const nodes = report.nodes.flatMap((node) => {
    const state = states[node.name];
    return state === undefined ? [] : [{ ...node, state }];
  });
  const stacks = stackHealth(nodes, { failed: 'failed', action: 'teardown' });
  return { ...report, action: 'teardown', outcome: 'clean', nodes, stacks, criticalPath: [] };
}

/** `class: words` of each stack. */
function chipsOf(page: string): string[] {
  const [, list = ''] = /<ul class="chips"[^>]*>(.*?)<\/ul>/s.exec(page) ?? [];
  return [...list.matchAll(/<li class="([^"]*)">(.*?)<\/li>/g)].map(
    ([, name, words = '']) => `${name}: ${words.replaceAll(/<[^>]*>/g, '')}`,
  );
}

/** A layout without a layout program: all in a row. */
function layoutOf(report: Report): GraphLayout {
  const sketch = reportSketch(report);
  return {
    width: 100,
    height: 100,
    nodes: sketch.nodes.map((node, index) => ({ ...node, x: index * 10, y: 0 })),
    edges: sketch.edges.map((edge) => ({ ...edge, path: 'M0,0C1,1 2,2 3,3' })),
  };
}

/** A report with the same text in every place that holds text from outside. */
function everywhere(text: string): Report {
  const [node] = toReport(sampleRun()).nodes;
  if (node === undefined) throw new Error('the sample has nodes');
  const evidence = {
    operationId: text,
    revision: text,
    sync: text,
    health: text,
    refreshedAt: text,
    operationPhase: text,
  };
  const leftover = { object: text, because: text, hint: text, node: text };
  return {
    ...toReport(sampleRun()),
    platform: text,
    scope: text,
    runId: text,
    startedAt: text,
    interrupted: text,
    stacks: [{ name: text, health: 'Failed', nodes: 1, done: 0, failed: 1, blocked: 0, pending: 0 }],
    nodes: [
      {
        ...node,
        name: text,
        stack: text,
        state: 'failed',
        because: text,
        hint: text,
        after: [text, 'unknown'],
        edges: { unknown: 'soft' },
        blockedBy: [text],
        evidence: { ...evidence, checks: [text], notes: [text] },
      },
    ],
    failures: [{ node: text, name: text, because: text, hint: text, blocks: [text] }],
    criticalPath: [{ node: text, seconds: 1 }],
    orphans: [leftover],
    retained: [leftover],
    warnings: [{ message: text, hint: text, node: text }],
    compliance: [{ severity: 'error', rule: text, node: text, object: text, what: text, remedy: text }],
    recommendations: [text],
  };
}

function contrast(a: string, b: string): number {
  const [bright = 0, dim = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (bright + 0.05) / (dim + 0.05);
}

function luminance(hex: string): number {
  const full = hex.length === 4 ? hex.slice(1).replace(/./g, '$&$&') : hex.slice(1);
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((at) => {
    const value = Number.parseInt(full.slice(at, at + 2), 16) / 255;
    return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
