import type { Report } from './report.ts';

/** A teardown with an earlier snapshot: one line about all of it, and what else was not there before, by whose it is. */
export interface ComparisonSummary {
  readonly line: string;
  readonly lists: readonly { readonly title: string; readonly objects: readonly string[] }[];
}

/** undefined when nothing was compared. */
export function comparisonSummary({ comparison }: Report): ComparisonSummary | undefined {
  if (comparison === undefined) return undefined;
  const { since, bootstrap, others, unread } = comparison;
  const known = [bootstrap.length, others.length].some((count) => count > 0);
  const lists = [
    { title: 'installed by bootstrap, which teardown leaves', objects: bootstrap },
    { title: 'nothing on them says whose they are', objects: others },
    { title: 'not compared, because they could not be read', objects: unread },
  ];
  return {
    line: known ? `also there, and not at ${since}` : `nothing else is there that was not there at ${since}`,
    lists: lists.filter(({ objects }) => objects.length > 0),
  };
}
