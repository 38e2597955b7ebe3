import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { levels } from '../graph/levels.ts';
import { formatProblems } from './format-problems.ts';
import { edgesOf, nodeGraph } from './node-graph.ts';
import { readPlatform } from './read-platform.ts';

const folder = new URL('../../../platforms/', import.meta.url);

describe('the example platforms', () => {
  it.each(readdirSync(folder))('%s has no errors', (name) => {
    const { platform, problems } = read(name);
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(platform?.name).toBe(name);
  });

  it('reference: 47 apps in 9 stacks, and no warning but the layers that the platform really turns round', () => {
    const { platform, problems } = read('reference');
    expect([platform?.apps.size, platform?.stacks.size]).toEqual([47, 9]);
    expect(`\n${formatProblems(problems)}\n`).toMatchInlineSnapshot(`
      "
      dag.yaml:44:32: warning: App "ceph-cluster-pn-hyd-a" is in layer 1 but needs "ingress-nginx" in layer 2.
          Layers are only labels, so this works; change one of them if the need is right.
      dag.yaml:64:13: warning: App "zalando-postgres-operator" is in layer 1 but needs "ingress-nginx" in layer 2.
          Layers are only labels, so this works; change one of them if the need is right.
      dag.yaml:67:20: warning: App "zalando-postgres-operator" is in layer 1 but needs "external-dns" in layer 2.
          Layers are only labels, so this works; change one of them if the need is right.
      dag.yaml:127:20: warning: App "keycloak" is in layer 3 but needs "pg-clusters" in layer 4.
          Layers are only labels, so this works; change one of them if the need is right.
      "
    `);
  });

  it('reference: the hard edges make six levels; with the soft ones there are nine', () => {
    const all = nodeGraph(read('reference').platform ?? { apps: new Map() });
    const hard = edgesOf(all, (kind) => kind === 'hard');
    const hardEdges = [...hard.values()].reduce((sum, needs) => sum + needs.size, 0);
    expect({
      levels: levels(all.graph).length,
      hardLevels: levels(hard).length,
      hardEdges,
      parts: [...all.partNodes],
    }).toMatchInlineSnapshot(`
      {
        "hardEdges": 98,
        "hardLevels": 6,
        "levels": 9,
        "parts": [
          "prometheus#crds",
        ],
      }
    `);
  });

  it('forty-three: 42 apps and the root', () => {
    const { platform, problems } = read('forty-three');
    expect([platform?.apps.size, platform?.root, problems]).toEqual([42, 'platform-app', []]);
  });

  it('hello: four apps that fit on one screen', () => {
    const { platform, problems } = read('hello');
    expect([...(platform?.apps.keys() ?? [])]).toEqual(['cert-manager', 'ingress', 'database', 'web']);
    expect(problems).toEqual([]);
    expect(readFileSync(new URL('hello/dag.yaml', folder), 'utf8').split('\n').length).toBeLessThanOrEqual(30);
  });
});

function read(name: string) {
  const file = (part: string) => ({ file: part, text: readFileSync(new URL(`${name}/${part}`, folder), 'utf8') });
  return readPlatform({ dag: file('dag.yaml'), environment: file('environment.yaml') });
}
