import { UnreachableError } from './errors.ts';
import { isLater } from './object-cache.ts';

/** Where in the server's history a cache stands. */
export interface Position {
  /** Where a watch may resume; undefined when only a list helps. */
  resume(): string | undefined;
  /** The history from here on is of no use any more. */
  forget(): void;
  /** Takes over a list's version. A list older than what was seen comes from a server that lags, and is refused; when the server insists, its store was restored. */
  accept(listed: string): void;
  /** Moves on; false for what is not newer than all before. */
  advance(version: string): boolean;
}

export function createPosition(): Position {
  let at: string | undefined;
  let forgotten = false;
  let olderLists = 0;

  function accept(listed: string): void {
    if (at !== undefined && listed !== '' && isLater(at, listed) && ++olderLists < insists)
      throw new UnreachableError(`the list is older (${listed}) than what was seen before (${at})`, {
        cause: undefined,
      });
    at = listed;
    forgotten = false;
    olderLists = 0;
  }

  function advance(version: string): boolean {
    if (at !== undefined && !isLater(version, at)) return false;
    at = version;
    return true;
  }

  return {
    resume: () => (forgotten ? undefined : at),
    forget: () => {
      forgotten = true;
    },
    accept,
    advance,
  };
}

/** So many older lists in a row are the truth. */
const insists = 5;
