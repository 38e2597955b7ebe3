import { levels } from '../graph/levels.ts';
import type { GraphView } from './graph-view.ts';
import { sampleApps, samplePlan } from './sample-run.fixture.ts';

/** The graph of the sample platform, for tests and pictures. */
export function sampleGraph(): GraphView {
  const apps = sampleApps();
  const graph = new Map(apps.map(({ name, needs }) => [name, new Set(needs.keys())]));
  return {
    title: 'reference',
    graph,
    kinds: new Map(
      apps.map(({ name, needs }) => [name, Object.fromEntries([...needs].filter(([, kind]) => kind !== 'hard'))]),
    ),
    stacks: new Map(apps.map(({ name, stack }) => [name, stack])),
    levels: levels(graph),
    criticalPath: samplePlan().criticalPath,
  };
}

/** Four nodes that hold every case: a part, a soft need, an edge that follows from others, a name full of signs. */
export function smallGraph(): GraphView {
  const graph = new Map([
    ['crds', new Set<string>()],
    ['db#crds', new Set<string>()],
    ['db', new Set(['crds', 'db#crds'])],
    ['web', new Set(['crds', 'db'])],
    ['a "b" <c>\\', new Set(['db'])],
  ]);
  return {
    title: 'small',
    graph,
    kinds: new Map([['db', { 'db#crds': 'soft' }]]),
    stacks: new Map([
      ['crds', 'base'],
      ['db#crds', 'data'],
      ['db', 'data'],
      ['web', 'front "end"'],
      ['a "b" <c>\\', 'front "end"'],
    ]),
    levels: levels(graph),
    criticalPath: ['crds', 'db', 'web'],
  };
}
