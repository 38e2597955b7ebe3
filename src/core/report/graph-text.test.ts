import { describe, expect, it } from 'vitest';
import { graphDot } from './graph-dot.ts';
import { graphMermaid } from './graph-mermaid.ts';
import { graphText } from './graph-text.ts';
import { sampleGraph, smallGraph } from './graph-view.fixture.ts';
import { drawnNeeds } from './graph-view.ts';
import { textWidth } from './text-width.ts';

describe('a graph in words', () => {
  it('shows levels, direct needs and the critical path', () => {
    expect(graphText(smallGraph(), { width: 60, color: false })).toMatchInlineSnapshot(`
      "small: 5 nodes, 5 edges, 3 levels  ◆ critical path

      Level 0  2
      ◆ crds
        db#crds

      Level 1  1
      ◆ db          ← crds, db#crds (soft)

      Level 2  2
        a "b" <c>\\  ← db
      ◆ web         ← db

      Critical path
        crds → db → web"
    `);
  });

  it('marks what an app would hold up', () => {
    const impact = { of: 'db', nodes: new Set(['web', 'a "b" <c>\\']) };
    const text = graphText({ ...smallGraph(), impact }, { width: 60, color: false });
    expect(text).toContain('! db');
    expect(text).toContain('2 nodes wait for db');
  });

  it('fits any width', () => {
    for (const width of [40, 80, 200]) {
      for (const line of graphText(sampleGraph(), { width, color: false }).split('\n')) {
        expect(textWidth(line)).toBeLessThanOrEqual(width);
      }
    }
  });

  it('speaks DOT, with stacks as clusters', () => {
    expect(graphDot(smallGraph())).toMatchInlineSnapshot(`
      "digraph "small" {
        rankdir=LR; newrank=true; compound=true; fontname="Helvetica";
        node [shape=box, style="rounded,filled", fillcolor="#ffffff", color="#8a94a6", fontname="Helvetica", fontsize=11];
        edge [color="#8a94a6", arrowsize=0.7];
        subgraph "cluster_0" {
          label="base"; style=rounded; color="#8a94a6"; fontcolor="#4a5568";
          "crds" [penwidth=2];
        }
        subgraph "cluster_1" {
          label="data"; style=rounded; color="#8a94a6"; fontcolor="#4a5568";
          "db" [penwidth=2];
          "db#crds" [shape=ellipse];
        }
        subgraph "cluster_2" {
          label="front \\"end\\""; style=rounded; color="#8a94a6"; fontcolor="#4a5568";
          "a \\"b\\" <c>\\\\";
          "web" [penwidth=2];
        }
        "db" -> "a \\"b\\" <c>\\\\";
        "crds" -> "db" [penwidth=2.5];
        "db#crds" -> "db" [style=dashed];
        "crds" -> "web";
        "db" -> "web" [penwidth=2.5];
      }
      "
    `);
  });

  it('speaks Mermaid, with stacks as subgraphs', () => {
    expect(graphMermaid({ ...smallGraph(), impact: { of: 'db', nodes: new Set(['web']) } })).toMatchInlineSnapshot(`
      "flowchart LR
        subgraph s0["base"]
          n1["crds"]
        end
        subgraph s1["data"]
          n2["db"]
          n3(["db#35;crds"])
        end
        subgraph s2["front #34;end#34;"]
          n0["a #34;b#34; #60;c#62;#92;"]
          n4["web"]
        end
        n2 --> n0
        n1 ==> n2
        n3 -.-> n2
        n1 --> n4
        n2 ==> n4
        classDef impact fill:#fde2e1,stroke:#c53030,color:#1a202c
        class n2,n4 impact
      "
    `);
  });
});

describe('drawnNeeds', () => {
  it('keeps a hard need that only a soft one would imply', () => {
    const graph = new Map([
      ['a', new Set<string>()],
      ['b', new Set(['a'])],
      ['c', new Set(['a', 'b'])],
    ]);
    const kinds = new Map([['c', { b: 'soft' as const }]]);
    expect([...(drawnNeeds({ graph, kinds }).get('c') ?? [])]).toEqual(['a', 'b']);
    expect([...(drawnNeeds({ graph, kinds: new Map() }).get('c') ?? [])]).toEqual(['b']);
  });

  it('draws a graph with a cycle as it is', () => {
    const graph = new Map([
      ['a', new Set(['b'])],
      ['b', new Set(['a'])],
    ]);
    expect(drawnNeeds({ graph, kinds: new Map() })).toBe(graph);
  });
});
