import { Graphviz } from '@hpcc-js/wasm-graphviz';
import { describe, expect, it } from 'vitest';
import { graphDot } from '../core/report/graph-dot.ts';
import { graphSvg } from '../core/report/graph-svg.ts';
import { sampleGraph, smallGraph } from '../core/report/graph-view.fixture.ts';
import { sampleRun } from '../core/report/sample-run.fixture.ts';
import { toReport } from '../core/report/to-report.ts';
import { graphLayout, reportLayout } from './graph-layout.ts';

describe('graphLayout', () => {
  it('places every node once, apart from the others, inside the picture', async () => {
    const view = sampleGraph();
    const layout = await graphLayout(view);
    expect(layout.nodes.map(({ name }) => name).sort()).toEqual([...view.graph.keys()].sort());
    for (const a of layout.nodes) {
      expect(a.x - a.width / 2).toBeGreaterThanOrEqual(-0.1);
      expect(a.x + a.width / 2).toBeLessThanOrEqual(layout.width + 0.1);
      expect(a.y + a.height / 2).toBeLessThanOrEqual(layout.height + 0.1);
      for (const b of layout.nodes)
        expect(a.name === b.name || !overlap(a, b), `${a.name} lies on ${b.name}`).toBe(true);
    }
  });

  it('puts what is needed to the left of who needs it', async () => {
    const view = sampleGraph();
    const layout = await graphLayout(view);
    const x = new Map(layout.nodes.map((node) => [node.name, node.x]));
    for (const { from, to, path } of layout.edges) {
      expect(x.get(from) ?? 0).toBeLessThan(x.get(to) ?? 0);
      expect(path).toMatch(/^M[-\d.,]+C[-\d., ]+$/);
    }
  });

  it('does the same for a report', async () => {
    const report = toReport(sampleRun());
    expect((await reportLayout(report)).nodes).toHaveLength(report.nodes.length);
  });

  it('draws names full of signs as well-formed SVG', async () => {
    const view = smallGraph();
    const svg = graphSvg(view, await graphLayout(view));
    expect(svg).toContain('a &quot;b&quot; &lt;c&gt;\\');
    expect(svg).not.toMatch(/&(?!(amp|lt|gt|quot|#39);)/);
  });

  it('Graphviz reads the DOT we write', async () => {
    const graphviz = await Graphviz.load();
    for (const view of [sampleGraph(), smallGraph()]) {
      const drawn = graphviz.layout(graphDot(view), 'plain', 'dot');
      expect(drawn.match(/^node /gm)).toHaveLength(view.graph.size);
    }
  });
});

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

function overlap(a: Box, b: Box): boolean {
  return Math.abs(a.x - b.x) < (a.width + b.width) / 2 - 0.5 && Math.abs(a.y - b.y) < (a.height + b.height) / 2 - 0.5;
}
