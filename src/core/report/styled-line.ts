import { textWidth } from './text-width.ts';

/** One line of a terminal, as pieces of text with a meaning; colour is added at the very end. */
export type StyledLine = readonly (Span | string)[];

export interface Span {
  readonly text: string;
  readonly style: Style;
}

export type Style = 'good' | 'bad' | 'warn' | 'busy' | 'dim' | 'strong';

export interface TerminalOptions {
  /** Columns. */
  readonly width: number;
  readonly color: boolean;
}

/** Lines joined to one text. */
export function printLines(lines: readonly StyledLine[], options: TerminalOptions): string {
  return lines.map((line) => printLine(line, options)).join('\n');
}

/** Text from outside on one line: line breaks become spaces, everything that could move the cursor is spelled out. */
export function plainText(text: string): string {
  return text.replace(/\s*[\r\n\t]+\s*/g, ' ').replace(unprintable, escapeCharacter);
}

/** Every control character spelled out, also line breaks. */
export function escapeControls(text: string): string {
  return text.replace(/\n/g, '\\n').replace(/\r/g, '\\r').replace(/\t/g, '\\t').replace(unprintable, escapeCharacter);
}

// Format characters too: a right-to-left override can make a message read as something else.
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

function escapeCharacter(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

/** A line as the terminal gets it: at most `width` columns, nothing in it that could steer the terminal but our own colours. */
function printLine(line: StyledLine, { width, color }: TerminalOptions): string {
  const spans = line.map(asSpan);
  const total = spans.reduce((sum, { text }) => sum + textWidth(text), 0);
  const shown = total <= width ? spans : clipped(spans, width);
  const printed = shown.map(({ text, style }) => (color && style !== undefined ? paint(text, style) : text));
  return printed.join('').replace(/ +$/, '');
}

interface PlainSpan {
  readonly text: string;
  readonly style: Style | undefined;
}

function asSpan(piece: Span | string): PlainSpan {
  if (typeof piece === 'string') return { text: plainText(piece), style: undefined };
  return { text: plainText(piece.text), style: piece.style };
}

function clipped(spans: readonly PlainSpan[], width: number): readonly PlainSpan[] {
  const kept: PlainSpan[] = [];
  let room = width - 1;
  for (const { text, style } of spans) {
    let part = '';
    for (const character of text) {
      const columns = textWidth(character);
      if (columns > room) return [...kept, { text: `${part}…`, style }];
      room -= columns;
      part += character;
    }
    kept.push({ text: part, style });
  }
  return kept;
}

const codes: Record<Style, readonly [number, number]> = {
  good: [32, 39],
  bad: [31, 39],
  warn: [33, 39],
  busy: [36, 39],
  dim: [2, 22],
  strong: [1, 22],
};

function paint(text: string, style: Style): string {
  const [on, off] = codes[style];
  return text === '' ? '' : `\u001b[${on}m${text}\u001b[${off}m`;
}
