import { nodeGraph } from '../../src/core/platform/node-graph.ts';
import { appOf, partOf } from '../../src/core/platform/node-name.ts';
import type { Platform } from '../../src/core/platform/platform.ts';
import { type ApplicationRecord, applicationRecords, type RecordedResource } from './application-records.ts';
import { type Creation, creations } from './creations.ts';
import { isOfPart, nodesOfObjects } from './nodes-of-objects.ts';
import type { AuditEntry } from './read-audit.ts';

/** An object that came before something its app needs. */
export interface BrokenEdge {
  readonly node: string;
  readonly need: string;
  readonly object: string;
  readonly because: string;
}

/**
 * INV-1 from the API server's own log: no object of an app was created before all its hard needs were recorded as Synced and Healthy;
 * of a part that is needed, before all its objects were created.
 */
export function brokenEdges(platform: Platform, entries: readonly AuditEntry[]): BrokenEdge[] {
  const { graph, kindOf } = nodeGraph(platform);
  const nodeOf = nodesOfObjects(platform);
  const created = creations(entries);
  const judge = judgeNeeds(platform, created, applicationRecords(entries));
  return created.flatMap((object) => {
    const node = nodeOf(object);
    if (node === undefined) return [];
    const needs = [...(graph.get(node) ?? [])].filter((need) => kindOf(node, need) !== 'soft');
    return needs.flatMap((need) => {
      const because = judge(need, object.revision);
      return because === undefined ? [] : [{ node, need, object: object.key, because }];
    });
  });
}

/** What was wrong with a need just before this revision; undefined: nothing. */
type Judge = (need: string, revision: number) => string | undefined;

function judgeNeeds(platform: Platform, created: readonly Creation[], records: readonly ApplicationRecord[]): Judge {
  const isThere = presence(created);
  return (need, revision) => {
    const app = platform.apps.get(appOf(need));
    const last = records.findLast((one) => one.application === app?.application && one.revision < revision);
    if (app === undefined || last === undefined) return 'it was not there';
    const part = app.parts.get(partOf(need) ?? '');
    if (part === undefined) return isGood(last) ? undefined : `it was ${wordsOf(last)}`;
    const objects = last.resources.filter((one) => !one.hook && isOfPart(part, one));
    if (objects.length === 0) return 'nothing of it was known';
    const late = objects.find((one) => !isThere(app.application, one, revision));
    return late === undefined ? undefined : `its ${late.kind} ${late.name} was not there`;
  };
}

function isGood({ sync, health }: ApplicationRecord): boolean {
  return sync === 'Synced' && health === 'Healthy';
}

function wordsOf({ sync, health }: ApplicationRecord): string {
  return `${sync === '' ? 'not compared' : sync} and ${health === '' ? 'without health' : health}`;
}

type Presence = (application: string, object: RecordedResource, revision: number) => boolean;

function presence(created: readonly Creation[]): Presence {
  const name = (application: string | undefined, one: RecordedResource | Creation): string =>
    `${application} ${one.kind} ${one.name}`;
  const since = new Map(created.map((object) => [name(object.application, object), object.revision]));
  return (application, object, revision) => {
    const from = since.get(name(application, object));
    return from !== undefined && from < revision;
  };
}
