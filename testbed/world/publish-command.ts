import { TestbedError } from '../cluster/testbed-error.ts';
import type { Testbed } from '../testbed.ts';
import { createTop } from './create-top.ts';
import { openTestbed } from './open-testbed.ts';
import { parsePace } from './pace.ts';
import { publish } from './publish.ts';

/** `testbed publish <folder>`: the platform into Git, and the Applications at the top into the cluster, held. */
export async function publishCommand(testbed: Testbed, order: PublishOrder): Promise<void> {
  const speed = parsePace(order.speed);
  if (speed === undefined) throw new TestbedError(`--speed: \`${order.speed}\` is no speed`, 'Write 60x, or max.');
  const options = { ...(order.scenario && { scenario: order.scenario }), faults: order.fault, speed };
  const published = await publish(testbed, order.folder, options);
  const { platform, commit, url } = published;
  order.report(`platform ${platform.name} published: ${url} at ${commit.slice(0, 12)}`);
  const { client, close } = await openTestbed(testbed);
  try {
    for (const created of await createTop(client, published)) order.report(`  created ${created}`);
  } finally {
    close();
  }
}

interface PublishOrder {
  readonly folder: string;
  readonly scenario?: string;
  readonly fault: readonly string[];
  readonly speed: string;
  readonly report: (line: string) => void;
}
