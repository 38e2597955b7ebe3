import { plainText } from './styled-line.ts';

/** Text from outside as it can stand in Markdown: on one line, without markup or HTML of its own. */
export function markdownText(text: string): string {
  return plainText(text).replace(/[\\`*_{}[\]<>|~#&]/g, (character) => {
    return character === '<' ? '&lt;' : character === '&' ? '&amp;' : `\\${character}`;
  });
}

/** A remedy of ours: it may hold commands in backticks, which stay. */
export function markdownHint(text: string): string {
  return text
    .split(/(`[^`]*`)/)
    .map((part) => (/^`[^`]*`$/.test(part) ? plainText(part) : markdownText(part)))
    .join('');
}

/** A table; the cells must be Markdown already. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
