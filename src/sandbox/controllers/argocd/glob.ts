/** Does the text match a pattern with `*` and `?`, as Argo CD's project settings use them? */
export function matchesGlob(pattern: string, text: string): boolean {
  if (pattern === '*' || pattern === text) return true;
  if (!pattern.includes('*') && !pattern.includes('?')) return false;
  const expression = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${expression}$`).test(text);
}
