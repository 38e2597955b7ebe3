/** Puts values where a pod writes `$(NAME)`; what is not known stays as it is, and `$$(NAME)` means the words themselves. */
export function expand(text: string, values: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$(\$|\(([A-Za-z_.-][\w.-]*)\))/g, (all, inner: string, name?: string) => {
    if (inner === '$') return '$';
    return values[name ?? ''] ?? all;
  });
}
