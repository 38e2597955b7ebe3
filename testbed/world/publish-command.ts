import { TestbedError } from '../cluster/testbed-error.ts';
import type { Testbed } from '../testbed.ts';
import { parsePace } from './pace.ts';
import { publishInto } from './publish-into.ts';

/** `testbed publish <folder>`: the platform into Git, and the Applications at the top into the cluster, held, unless that is an empty one. */
export async function publishCommand(testbed: Testbed, order: PublishOrder): Promise<void> {
  const speed = parsePace(order.speed);
  if (speed === undefined) throw new TestbedError(`--speed: \`${order.speed}\` is no speed`, 'Write 60x, or max.');
  const options = { ...(order.scenario && { scenario: order.scenario }), faults: order.fault, speed };
  const { platform, url, commit, created, released } = await publishInto(testbed, order.folder, options);
  order.report(`platform ${platform.name} published: ${url} at ${commit.slice(0, 12)}`);
  if (testbed.empty) order.report('  the testbed is an empty one: a bootstrap creates the root Application');
  for (const object of created) order.report(`  created ${object}`);
  for (const object of released) order.report(`  let go of ${object}`);
}

interface PublishOrder {
  readonly folder: string;
  readonly scenario?: string;
  readonly fault: readonly string[];
  readonly speed: string;
  readonly report: (line: string) => void;
}
