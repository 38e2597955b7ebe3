/** The app that a node is, or is a part of: `prometheus#crds` → `prometheus`. */
export function appOf(node: string): string {
  const hash = node.indexOf('#');
  return hash < 0 ? node : node.slice(0, hash);
}

/** The part that a node is; undefined for a whole app. */
export function partOf(node: string): string | undefined {
  const hash = node.indexOf('#');
  return hash < 0 ? undefined : node.slice(hash + 1);
}
