import type { KubeClient } from '../../src/adapters/kubernetes/client.ts';
import type { ReflectorOptions } from '../../src/adapters/kubernetes/follow.ts';
import { createReflector } from '../../src/adapters/kubernetes/reflector.ts';
import { type Definition, operatedKind } from './operated-kinds.ts';
import { type OperatedKind, operatorStages } from './operator-stages.ts';
import { definitionAnnotation, type Stage, stagesPath } from './stage.ts';

interface Outside {
  readonly client: KubeClient;
  readonly clock: ReflectorOptions['clock'];
  readonly onTrouble: (sentence: string) => void;
}

/**
 * Keeps kwok's stages in step with the definitions in the cluster, until the signal aborts. kwok starts to follow a kind
 * when its first stage appears, and gives up for good when the kind is not served at that moment; so the stages of a kind
 * come after its definition and go after it.
 */
export async function playOperators({ client, clock, onTrouble }: Outside, signal: AbortSignal): Promise<void> {
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  const definitions = createReflector<Definition>(client, { path, clock, onTrouble }, signal);
  await definitions.ready(signal);
  while (!signal.aborted) {
    const { version } = definitions;
    const isDone = await bringInStep(client, definitions.all(), signal).catch((error: unknown) => {
      if (!signal.aborted) onTrouble(`The stages could not be brought in step: ${String(error)}`);
      return false;
    });
    const changed = (): true | undefined => (definitions.version === version ? undefined : true);
    // What could not be done yet is tried again soon; otherwise nothing happens until a definition changes.
    await (isDone ? definitions.waitFor(changed, { signal }) : clock.sleep(200, signal)).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }
}

/** One pass; false when there is something left for the next. All that is remembered stands in the cluster. */
async function bringInStep(
  client: KubeClient,
  definitions: readonly Definition[],
  signal: AbortSignal,
): Promise<boolean> {
  const wanted = new Map<string, Operated>();
  for (const definition of definitions) {
    const kind = operatedKind(definition);
    if (kind !== undefined) wanted.set(identityOf(definition), { definition, kind });
  }
  const { items: stages } = await client.list<Stage>(stagesPath, {}, signal);
  const belongsTo = (stage: Stage): string | undefined => stage.metadata.annotations?.[definitionAnnotation];
  const left = stages.filter((stage) => !wanted.has(belongsTo(stage) ?? '') && belongsTo(stage) !== undefined);
  for (const { metadata } of left) await client.delete(`${stagesPath}/${metadata.name}`, {}, signal);
  // kwok has to see them gone before others of the same kind come.
  if (left.length > 0) return false;
  let isDone = true;
  for (const [identity, operated] of wanted) {
    const missing = operatorStages(operated.kind).filter(
      ({ metadata }) => !stages.some((stage) => stage.metadata.name === metadata.name),
    );
    if (missing.length === 0) continue;
    const isServed = await served(client, operated, signal);
    if (isServed) for (const stage of missing) await client.create(stagesPath, marked(stage, identity), signal);
    else isDone = false;
  }
  return isDone;
}

interface Operated {
  readonly definition: Definition;
  readonly kind: OperatedKind;
}

function identityOf({ metadata }: Definition): string {
  return `${metadata.name}@${metadata.uid}`;
}

function marked(stage: Stage, identity: string): Stage {
  return { ...stage, metadata: { ...stage.metadata, annotations: { [definitionAnnotation]: identity } } };
}

/** Established, and described: kwok reads the description of a kind before it follows it. */
async function served(client: KubeClient, { definition, kind }: Operated, signal: AbortSignal): Promise<boolean> {
  const isEstablished = definition.status?.conditions?.some(
    ({ type, status }) => type === 'Established' && status === 'True',
  );
  if (isEstablished !== true) return false;
  const description = await client.get<{ paths?: object }>(`/openapi/v3/apis/${kind.group}/${kind.version}`, signal);
  const end = `/${definition.spec.names.plural}/{name}`;
  return Object.keys(description?.paths ?? {}).some((path) => path.endsWith(end));
}
