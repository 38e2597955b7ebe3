/**
 * Waits for the condition and gives what it gave; tells the sentence when it waited in vain. A deadline is only met when something is
 * wrong, so it is long enough for a machine that is busy with other suites; who wants to prove that something is quick says how quick.
 */
export async function eventually<T>(
  sentence: string,
  condition: () => Promise<T | undefined | false>,
  withinMs = 120_000,
): Promise<T> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const value = await condition();
    if (value !== undefined && value !== false) return value;
    if (Date.now() >= deadline) throw new Error(`waited ${withinMs / 1000} s in vain until ${sentence}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
