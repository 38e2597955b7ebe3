import { stringify } from 'yaml';
import type { KubeObject, ResourceType } from '../store/objects.ts';

/**
 * The JSON of an object. The answer to a write and the watch events about it want the same text at the same moment; after that
 * nobody does, so only the newest few are kept: pinned to their objects, the texts of a large platform would double its memory.
 */
export function objectJson(object: KubeObject): string {
  const known = newest.get(object);
  if (known !== undefined) return known;
  const text = JSON.stringify(object);
  newest.set(object, text);
  if (newest.size > 16) newest.delete(newest.keys().next().value as KubeObject);
  return text;
}

const newest = new Map<KubeObject, string>();

/** The JSON of an object inside a list: built-in kinds leave kind and apiVersion to the list. */
export function itemJson(type: ResourceType, object: KubeObject): string {
  if (type.custom) return objectJson(object);
  const { apiVersion: _apiVersion, kind: _kind, ...rest } = object;
  return JSON.stringify(rest);
}

/** One line of a watch, as bytes. */
export function eventLine(type: string, object: KubeObject): Uint8Array {
  return rawEventLine(type, objectJson(object));
}

export function rawEventLine(type: string, objectAsJson: string): Uint8Array {
  return Buffer.from(`{"type":"${type}","object":${objectAsJson}}\n`);
}

/** YAML with sorted keys, as Kubernetes writes it. */
export function toYaml(value: unknown): string {
  return stringify(value, {
    version: '1.1',
    sortMapEntries: true,
    lineWidth: 0,
    indentSeq: false,
    aliasDuplicateObjects: false,
  });
}
