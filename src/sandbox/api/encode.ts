import { stringify } from 'yaml';
import type { KubeObject, ResourceType } from '../store/objects.ts';

/** The JSON of an object; written once per object value, however many readers and watchers there are. */
export function objectJson(object: KubeObject): string {
  let found = whole.get(object);
  if (found === undefined) {
    found = JSON.stringify(object);
    whole.set(object, found);
  }
  return found;
}

/** The JSON of an object inside a list: built-in kinds leave kind and apiVersion to the list. */
export function itemJson(type: ResourceType, object: KubeObject): string {
  if (type.custom) return objectJson(object);
  let found = items.get(object);
  if (found === undefined) {
    const { apiVersion: _apiVersion, kind: _kind, ...rest } = object;
    found = JSON.stringify(rest);
    items.set(object, found);
  }
  return found;
}

/** One line of a watch, as bytes; shared by all watchers of the same object value. */
export function eventLine(type: string, object: KubeObject): Uint8Array {
  let byType = lines.get(object);
  if (byType === undefined) {
    byType = new Map();
    lines.set(object, byType);
  }
  let found = byType.get(type);
  if (found === undefined) {
    found = rawEventLine(type, objectJson(object));
    byType.set(type, found);
  }
  return found;
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

const whole = new WeakMap<KubeObject, string>();
const items = new WeakMap<KubeObject, string>();
const lines = new WeakMap<KubeObject, Map<string, Uint8Array>>();
