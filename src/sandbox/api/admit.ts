import type { KubeObject, ResourceType } from '../store/objects.ts';
import { builtInDefaults } from './built-in-defaults.ts';
import { builtInViolations, checkData, unknownBuiltInFields } from './built-in-rules.ts';
import { schemaOf } from './definitions.ts';
import { metadataChangeViolations, metadataViolations } from './metadata-rules.ts';
import { prune, violations, withDefaults } from './schema.ts';
import type { Server } from './server.ts';
import { type Cause, invalid } from './status.ts';

export interface Admitted {
  readonly object: KubeObject;
  /** Paths of fields that the kind does not have; they are gone from the object. */
  readonly unknown: readonly string[];
}

/** Takes away what the kind does not know and fills in its defaults. */
export function shape(server: Server, type: ResourceType, object: KubeObject): Admitted {
  if (!type.custom) {
    checkData(type, object);
    const unknown = unknownBuiltInFields(type, object);
    const known =
      unknown.length === 0
        ? object
        : (Object.fromEntries(Object.entries(object).filter(([field]) => !unknown.includes(field))) as KubeObject);
    return { object: builtInDefaults(type, known), unknown };
  }
  const schema = schemaOf(server.store, type);
  if (schema === undefined) return { object, unknown: [] };
  const pruned = prune(schema, object);
  return { object: withDefaults(schema, pruned.object) as KubeObject, unknown: pruned.unknown };
}

/** Throws the 422 that lists everything wrong with the object. */
export function validate(
  server: Server,
  type: ResourceType,
  object: KubeObject,
  previous: KubeObject | undefined,
): void {
  const schema = schemaOf(server.store, type);
  const causes: Cause[] = [
    ...(previous === undefined ? metadataViolations(type, object) : metadataChangeViolations(previous, object)),
    ...(schema === undefined ? [] : violations(schema, object)),
    ...(type.custom ? [] : builtInViolations(type, object, previous)),
  ];
  if (causes.length > 0) throw invalid(type, object.metadata.name ?? '', causes);
}
