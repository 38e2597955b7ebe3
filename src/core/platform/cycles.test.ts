import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findCycle } from '../graph/find-cycle.ts';
import { formatProblems } from './format-problems.ts';
import { nodeGraph } from './node-graph.ts';
import { readPlatform } from './read-platform.ts';

describe('a cycle of hard needs', () => {
  it('is shown with every edge, where each was declared, and the declared part that opens it', () => {
    expect(
      problemsOf(`
      ceph: { needs: [operator, prometheus] }
      operator: {}
      prometheus: { needs: [ceph], parts: { crds: { kinds: [CustomResourceDefinition] } } }`),
    ).toMatchInlineSnapshot(`
      "
      dag.yaml:7:33: error: These 2 need each other in a circle, so that none could ever start:
          "ceph" needs "prometheus" (dag.yaml:7:33)
          "prometheus" needs "ceph" (dag.yaml:9:29)
          If "ceph" needs only the part "crds" of "prometheus", write prometheus#crds instead of prometheus there; otherwise remove one of these needs, or make it soft: { app: prometheus, edge: soft }.
      "
    `);
  });

  it('without parts asks for the CRDs, of an operator first, and counts needs that hold once', () => {
    expect(
      problemsOf(`
      a: { needs: [b] }
      b: { needs: [{ app: c, edge: once }], type: operator }
      c: { needs: [a] }`),
    ).toMatchInlineSnapshot(`
      "
      dag.yaml:7:20: error: These 3 need each other in a circle, so that none could ever start:
          "a" needs "b" (dag.yaml:7:20)
          "b" needs "c" (dag.yaml:8:27)
          "c" needs "a" (dag.yaml:9:20)
          If "a" needs only the CRDs of "b", write b#crds instead of b there and add parts: { crds: { kinds: [CustomResourceDefinition] } } to "b"; otherwise remove one of these needs, or make it soft: { app: b, edge: soft }.
      "
    `);
  });

  it('through a part itself does not offer that part', () => {
    expect(
      problemsOf(`
      a: { needs: ["b#crds"] }
      b: { parts: { crds: { kinds: [CustomResourceDefinition], needs: [a] } } }`),
    ).toMatchInlineSnapshot(`
      "
      dag.yaml:7:20: error: These 2 need each other in a circle, so that none could ever start:
          "a" needs "b#crds" (dag.yaml:7:20)
          "b#crds" needs "a" (dag.yaml:8:72)
          If "b#crds" needs only the CRDs of "a", write a#crds instead of a there and add parts: { crds: { kinds: [CustomResourceDefinition] } } to "a"; otherwise remove one of these needs, or make it soft: { app: a, edge: soft }.
      "
    `);
  });

  it('through stacks says so', () => {
    const text = dag('\n      a: {}').replace('apps:', 'needs: [t]\n    apps:');
    expect(show(read(`${text}\n  t: { needs: [s], apps: { b: {} } }\n`))).toMatchInlineSnapshot(`
      "
      dag.yaml:6:13: error: These 2 need each other in a circle, so that none could ever start:
          "a" needs "b" (through stack "s", dag.yaml:6:13)
          "b" needs "a" (through stack "t", dag.yaml:9:16)
          Name the apps that are really needed instead of the whole stack.
      "
    `);
  });

  it('is reported for each knot, only the shortest of it', () => {
    const { problems } = read(
      dag(
        '\n      a: { needs: [b] }\n      b: { needs: [a, c] }\n      c: { needs: [d] }\n      d: { needs: [a] }\n      x: { needs: [y] }\n      y: { needs: [x] }',
      ),
    );
    expect(problems.map(({ what }) => what.split('\n').length - 1)).toEqual([2, 2]);
  });
});

describe('a soft need that closes a cycle', () => {
  it('is ignored with a warning, and absent from the platform and its graph', () => {
    const result = read(
      dag(
        '\n      vault: { needs: [{ app: secrets, edge: soft }, base] }\n      secrets: { needs: [vault] }\n      base: {}',
      ),
    );
    expect(show(result)).toMatchInlineSnapshot(`
      "
      dag.yaml:7:31: warning: The soft need of "vault" on "secrets" is ignored: it closes a cycle.
          Remove it; "vault" cannot wait for "secrets", which itself comes after "vault".
      "
    `);
    expect(result.platform?.apps.get('vault')?.needs.map(({ node }) => node)).toEqual(['base']);
  });

  it('never leaves a cycle, never costs a hard need, and is the same when read again', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(7), fc.nat(7), fc.boolean()), { maxLength: 24 }), (edges) => {
        // Hard needs point from a higher to a lower number, so that only soft ones can close a cycle.
        const lines = Array.from({ length: 8 }, (_, from) => {
          const needs = edges.flatMap(([a, to, soft]) => {
            if (a !== from || to === from) return [];
            return soft || to > from ? [`{ app: a${to}, edge: soft }`] : [`a${to}`];
          });
          return `\n      a${from}: { needs: [${needs.join(', ')}] }`;
        });
        const { platform } = read(dag(lines.join('')));
        if (platform === undefined) throw new Error('no platform');
        const { graph, kindOf } = nodeGraph(platform);
        expect(findCycle(graph)).toBeUndefined();
        for (const [a, to, soft] of edges) {
          if (!soft && to < a) expect(graph.get(`a${a}`)).toContain(`a${to}`);
          if (!soft && to < a) expect(kindOf(`a${a}`, `a${to}`)).toBe('hard');
        }
        expect(nodeGraph(platform).graph).toEqual(graph);
      }),
    );
  });
});

describe('nodeGraph', () => {
  const { platform } = read(
    dag(`
      prometheus: { needs: [ceph], parts: { crds: { kinds: [CustomResourceDefinition], needs: [base] }, rules: { kinds: [PrometheusRule] } } }
      ceph: { needs: ["prometheus#crds", { app: base, edge: once }] }
      base: {}`),
  );

  it('has the parts that someone needs, before their app, and no others', () => {
    if (platform === undefined) throw new Error('no platform');
    const { graph, kindOf, partNodes } = nodeGraph(platform);
    expect(partNodes).toEqual(new Set(['prometheus#crds']));
    expect(graph).toEqual(
      new Map([
        ['prometheus', new Set(['ceph', 'prometheus#crds'])],
        ['ceph', new Set(['base', 'prometheus#crds'])],
        ['prometheus#crds', new Set(['base'])],
        ['base', new Set()],
      ]),
    );
    expect(kindOf('ceph', 'base')).toBe('once');
    expect(kindOf('prometheus', 'prometheus#crds')).toBe('hard');
  });
});

function dag(apps: string): string {
  return `apiVersion: tiphys.dev/v1\nkind: Platform\nname: acme\nstacks:\n  s:\n    apps:${apps}`;
}

function read(text: string) {
  const environment =
    'name: test\ndomain: acme.example.com\ngitRepository: https://git.example.com/a.git\ngitRevision: main\n';
  return readPlatform({
    dag: { file: 'dag.yaml', text },
    environment: { file: 'environment.yaml', text: environment },
  });
}

function show({ problems }: ReturnType<typeof read>): string {
  return `\n${formatProblems(problems)}\n`;
}

function problemsOf(apps: string): string {
  const result = read(dag(apps));
  expect(result.platform).toBeUndefined();
  return show(result);
}
