import type { KubeObject, ResourceType } from '../store/objects.ts';
import { typeKey } from '../store/objects.ts';
import { createResourceTypes } from '../store/resource-types.ts';
import type { Store } from '../store/store.ts';
import type { Schema } from './schema.ts';

/** A CustomResourceDefinition as far as the API reads it. */
export interface DefinitionVersion {
  readonly name: string;
  readonly served?: boolean;
  readonly storage?: boolean;
  readonly schema?: { readonly openAPIV3Schema?: Schema };
  readonly subresources?: { readonly status?: object; readonly scale?: object };
  readonly additionalPrinterColumns?: readonly PrinterColumn[];
}

export interface PrinterColumn {
  readonly name: string;
  readonly type: string;
  readonly jsonPath: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
}

/** The kind of definitions themselves. */
export const definitionType: ResourceType = findDefinitionType();

/** The CustomResourceDefinition that declares a custom kind. */
export function definitionOf(store: Store, type: ResourceType): KubeObject | undefined {
  return store.get(definitionType, undefined, `${type.plural}.${type.group}`);
}

export function versionOf(definition: KubeObject, version: string): DefinitionVersion | undefined {
  const { versions } = definition['spec'] as { versions: readonly DefinitionVersion[] };
  return versions.find((candidate) => candidate.name === version);
}

/** The schema of a custom kind; undefined for built-in kinds and for definitions without one. */
export function schemaOf(store: Store, type: ResourceType): Schema | undefined {
  if (!type.custom) return undefined;
  const definition = definitionOf(store, type);
  return definition === undefined ? undefined : versionOf(definition, type.version)?.schema?.openAPIV3Schema;
}

export const isDefinition = (type: ResourceType): boolean => typeKey(type) === typeKey(definitionType);

function findDefinitionType(): ResourceType {
  const found = createResourceTypes().byPlural('apiextensions.k8s.io', 'customresourcedefinitions');
  if (found === undefined) throw new Error('the kind CustomResourceDefinition is not built in');
  return found;
}
