import { expand } from './expand.ts';
import type { Container } from './pod.ts';

/** What follows the program's name in a container's command line; the host's own program takes the place of the name. */
export function wordsOf(container: Container, env: Readonly<Record<string, string>>): string[] {
  const words = [...(container.command ?? []), ...(container.args ?? [])].map((word) => expand(word, env));
  return words[0]?.startsWith('-') === false ? words.slice(1) : words;
}
