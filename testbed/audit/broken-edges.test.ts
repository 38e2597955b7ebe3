import { describe, expect, it } from 'vitest';
import { created, createdUnmarked, recorded, smallPlatform } from './audit.fixture.ts';
import { brokenEdges } from './broken-edges.ts';

const platform = smallPlatform();
const good = ['Synced', 'Healthy'] as const;
const crd = 'things.example.com';
const definition = {
  resources: [
    { kind: 'CustomResourceDefinition', name: crd },
    { kind: 'ConfigMap', name: 'base' },
  ],
};

const inOrder = [
  recorded(1, 'base', ['OutOfSync', 'Missing'], definition),
  createdUnmarked(2, 'Namespace', 'base'),
  createdUnmarked(3, 'CustomResourceDefinition', crd),
  recorded(4, 'other', ['OutOfSync', 'Missing']),
  created(5, 'other'),
  recorded(6, 'other', good),
  created(7, 'base'),
  recorded(8, 'base', good, definition),
  created(9, 'data'),
  recorded(10, 'data', good),
  created(11, 'web'),
];

describe('broken edges (INV-1)', () => {
  it('finds none where everything came in its turn, parts and namespaces included', () => {
    expect(brokenEdges(platform, inOrder)).toEqual([]);
  });

  it('goes by the revisions of the cluster, not by the order of the lines', () => {
    expect(brokenEdges(platform, [...inOrder].reverse())).toEqual([]);
  });

  it('finds an object that came before its need was there at all', () => {
    expect(brokenEdges(platform, inOrder.slice(0, 8).concat(created(9, 'web')))).toEqual([
      { node: 'web', need: 'data', object: 'configmaps web/web', because: 'it was not there' },
    ]);
  });

  it.each([
    ['Healthy but not Synced', ['OutOfSync', 'Healthy'], 'it was OutOfSync and Healthy'],
    ['Synced but not Healthy', ['Synced', 'Progressing'], 'it was Synced and Progressing'],
  ] as const)('finds an object that came while its need was %s', (_name, state, because) => {
    const turned = [...inOrder.slice(0, -1), recorded(11, 'data', state), created(12, 'web')];
    expect(brokenEdges(platform, turned)).toEqual([
      { node: 'web', need: 'data', object: 'configmaps web/web', because },
    ]);
  });

  it('finds an object that came before the part it needs', () => {
    const [known, , , seen] = inOrder as [(typeof inOrder)[0], unknown, unknown, (typeof inOrder)[0]];
    const early = [known, createdUnmarked(2, 'Namespace', 'other'), seen, created(5, 'other')];
    expect(brokenEdges(platform, early).map(({ node, object, because }) => [node, object, because])).toEqual([
      ['other', 'namespaces other', `its CustomResourceDefinition ${crd} was not there`],
      ['other', 'configmaps other/other', `its CustomResourceDefinition ${crd} was not there`],
    ]);
  });

  it('asks nothing of a soft need', () => {
    const turned = [...inOrder.slice(0, -1), recorded(11, 'other', ['Synced', 'Degraded']), created(12, 'web')];
    expect(brokenEdges(platform, turned)).toEqual([]);
  });

  it('asks nothing of what was only tried, and of what others created', () => {
    const trial = created(1, 'web', { isTrial: true });
    const strangers = created(1, 'web', { user: 'system:admin' });
    expect(brokenEdges(platform, [trial, strangers, ...inOrder])).toEqual([]);
  });
});
