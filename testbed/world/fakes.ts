import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { systemClock } from '../../src/adapters/clock/system-clock.ts';
import type { KubeClient } from '../../src/adapters/kubernetes/client.ts';
import type { Testbed } from '../testbed.ts';
import { serveAdmission } from './admission.ts';
import { serveEgress } from './egress.ts';
import { followPods } from './follow-pods.ts';
import { openTestbed } from './open-testbed.ts';
import { playOperators } from './play-operators.ts';
import { createRefusals } from './refusals.ts';
import { type Stage, stageDefinition, stagesPath } from './stage.ts';

/** Plays what is around the cluster until the signal aborts: operators, what answers in pods, the webhook that refuses. */
export async function runFakes(testbed: Testbed, signal: AbortSignal): Promise<void> {
  const onTrouble = (sentence: string): void => void process.stderr.write(`${sentence}\n`);
  const { client, close } = await openTestbed(testbed);
  const outside = { client, clock: systemClock, onTrouble };
  const egress = await serveEgress(testbed, followPods(outside, signal));
  const stages = await readStages(testbed);
  await giveStages(client, stages, signal);
  // Its port is what others wait for, so it comes last.
  const admission = await serveAdmission(
    testbed,
    createRefusals(() => publishedCommit(testbed)),
  );
  process.stdout.write('ready\n');
  try {
    await playOperators(outside, signal);
  } finally {
    egress.close();
    admission.close();
    admission.closeAllConnections();
    close();
  }
}

async function readStages({ folder }: Testbed): Promise<readonly Stage[]> {
  const text = await readFile(join(folder, 'stages.yaml'), 'utf8');
  return parseAllDocuments(text).map((document) => document.toJS() as Stage);
}

/** The stages of nodes and pods; those of other kinds follow their definitions. */
async function giveStages(client: KubeClient, stages: readonly Stage[], signal: AbortSignal): Promise<void> {
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  await client.apply(`${definitions}/${stageDefinition.metadata.name}`, stageDefinition, { force: true }, signal);
  const deadline = systemClock.now() + 30_000;
  while ((await client.get(`${stagesPath}?limit=1`, signal)) === undefined) {
    if (systemClock.now() > deadline)
      throw new Error('kwok’s stages are still not served 30 s after they were defined');
    await systemClock.sleep(50, signal);
  }
  for (const stage of stages) {
    await client.apply(`${stagesPath}/${stage.metadata.name}`, stage, { force: true }, signal);
  }
}

/** Empty before the first publishing. */
function publishedCommit({ folder }: Testbed): string {
  try {
    return readFileSync(join(folder, 'repo/.git/refs/heads/main'), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}
