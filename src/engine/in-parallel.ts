/** How much we ask for at once: enough to keep a server busy, few enough not to drown it. */
const atOnce = 20;

/** Does the work for every item, some at a time; the first failure is thrown when all that began has ended. */
export async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = [...items];
  const worker = async (): Promise<void> => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
  };
  const ends = await Promise.allSettled(Array.from({ length: Math.min(atOnce, items.length) }, worker));
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
