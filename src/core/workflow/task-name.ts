/**
 * The task of a node. Names of apps are DNS labels, so capitals can come from nowhere else: Argo's `depends` knows no `#`, takes `-`
 * and `_` for the same, and refuses names that begin with a digit.
 */
export function taskOf(node: string): string {
  const name = node.replace('#', '-PART-');
  return /^[0-9]/.test(name) ? `N-${name}` : name;
}

export function nodeOf(task: string): string {
  return task.replace(/^N-/, '').replace('-PART-', '#');
}
