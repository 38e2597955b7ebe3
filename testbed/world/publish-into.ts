import type { Testbed } from '../testbed.ts';
import { createTop } from './create-top.ts';
import { openTestbed } from './open-testbed.ts';
import { type Published, type PublishOptions, publish } from './publish.ts';
import { releaseStuck } from './release-stuck.ts';

export interface PublishedInto extends Published {
  /** What had to be created in the cluster. */
  readonly created: readonly string[];
  /** What was being deleted and may go now. */
  readonly released: readonly string[];
}

/** Publishes a platform, and brings into the cluster what Git cannot: the Applications at the top, held, unless a bootstrap is to bring those. Twice does no harm. */
export async function publishInto(
  testbed: Pick<Testbed, 'folder' | 'empty'>,
  folder: string,
  options: PublishOptions = {},
): Promise<PublishedInto> {
  const published = await publish(testbed, folder, options);
  const { client, close } = await openTestbed(testbed);
  try {
    const created = await createTop(client, testbed.empty ? { ...published, top: [] } : published);
    return { ...published, created, released: await releaseStuck(client, published.stuckApps) };
  } finally {
    close();
  }
}
