/** Is a `when` met, after its variables were filled in? Knows comparisons, `&&` and `||`, but no brackets. */
export function isWhenMet(when: string | undefined): boolean {
  if (when === undefined || when.trim() === '') return true;
  return when.split('||').some((part) => part.split('&&').every(isComparisonMet));
}

function isComparisonMet(text: string): boolean {
  const match = /^\s*(.*?)\s*(==|!=|<=|>=|<|>)\s*(.*?)\s*$/.exec(text);
  if (match === null) return text.trim() === 'true';
  const [, left = '', operator = '', right = ''] = match;
  return compare(unquoted(left), operator, unquoted(right));
}

function compare(left: string, operator: string, right: string): boolean {
  switch (operator) {
    case '==':
      return left === right;
    case '!=':
      return left !== right;
    case '<':
      return Number(left) < Number(right);
    case '>':
      return Number(left) > Number(right);
    case '<=':
      return Number(left) <= Number(right);
    default:
      return Number(left) >= Number(right);
  }
}

function unquoted(text: string): string {
  return /^(["']).*\1$/.test(text) ? text.slice(1, -1) : text;
}
