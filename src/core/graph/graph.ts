/** Name → the names it needs. The graph knows nothing else. Every name that is needed is also a key. */
export type Graph = ReadonlyMap<string, ReadonlySet<string>>;
