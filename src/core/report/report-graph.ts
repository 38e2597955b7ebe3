import type { Graph } from '../graph/graph.ts';
import { durationText } from './duration-text.ts';
import { drawGraph, type GraphLayout, type GraphSketch, graphSketch } from './graph-drawing.ts';
import { edgeKey, pathEdges } from './graph-view.ts';
import type { Report, ReportNode } from './report.ts';
import { stateMarks } from './state-marks.ts';

/** The graph of a report, to be laid out before `htmlReport` draws it. */
export function reportSketch(report: Report): GraphSketch {
  const known = new Set(report.nodes.map(({ name }) => name));
  const graph: Graph = new Map(
    report.nodes.map(({ name, after }) => [name, new Set(after.filter((need) => known.has(need)))]),
  );
  return graphSketch({ graph, kinds: new Map(report.nodes.map(({ name, edges }) => [name, edges])) });
}

/** That graph as SVG elements for the page: coloured by state, each node a link to its row in the table. */
export function reportGraph(report: Report, layout: GraphLayout): string {
  const nodes = new Map(report.nodes.map((node, index) => [node.name, { node, index }]));
  const critical = pathEdges(report.criticalPath.map(({ node }) => node));
  const onPath = new Set(report.criticalPath.map(({ node }) => node));
  const indexOf = (name: string): string => String(nodes.get(name)?.index ?? '');
  return drawGraph(layout, {
    node: (name) => {
      const found = nodes.get(name);
      if (found === undefined) return { className: '', title: name };
      return {
        className: `state-${found.node.state}${onPath.has(name) ? ' critical' : ''}`,
        title: titleOf(found.node),
        mark: stateMarks[found.node.state],
        attributes: { href: `#node-${found.index}`, 'data-n': indexOf(name) },
      };
    },
    edge: (from, to) => {
      const kind = nodes.get(to)?.node.edges[from] ?? 'hard';
      const className = critical.has(edgeKey(to, from)) ? `${kind} critical` : kind;
      return { className, attributes: { 'data-f': indexOf(from), 'data-t': indexOf(to) } };
    },
  });
}

function titleOf({ name, stack, state, because, durationSeconds, waitedSeconds }: ReportNode): string {
  const took = durationSeconds === undefined ? [] : [`took ${durationText(durationSeconds)}`];
  const waited = waitedSeconds === undefined ? [] : [`waited ${durationText(waitedSeconds)}`];
  return [`${name} (${stack}): ${state}`, ...(because === undefined ? [] : [because]), [...took, ...waited].join(', ')]
    .join('\n')
    .trim();
}
