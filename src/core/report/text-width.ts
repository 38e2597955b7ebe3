/** How many columns of a terminal a text takes; it must hold no control characters. */
export function textWidth(text: string): number {
  let width = 0;
  for (const character of text) width += characterWidth(character);
  return width;
}

/** The text cut to so many columns, with an ellipsis where something is missing. */
export function clip(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  if (width <= 0) return '';
  let kept = '';
  let used = 0;
  for (const character of text) {
    used += characterWidth(character);
    if (used > width - 1) break;
    kept += character;
  }
  return `${kept}…`;
}

/** The text filled up with spaces, or cut, to exactly so many columns. */
export function pad(text: string, width: number): string {
  const cut = clip(text, width);
  return cut + ' '.repeat(Math.max(0, width - textWidth(cut)));
}

/** The text broken at spaces into lines of at most so many columns; a longer word is cut across lines. */
export function wrap(text: string, width: number): readonly string[] {
  const room = Math.max(8, width);
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').flatMap((whole) => chunks(whole, room))) {
    if (line !== '' && textWidth(line) + 1 + textWidth(word) > room) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

function chunks(word: string, room: number): readonly string[] {
  if (textWidth(word) <= room) return [word];
  const parts: string[] = [];
  let part = '';
  for (const character of word) {
    if (textWidth(part) + characterWidth(character) > room) {
      parts.push(part);
      part = '';
    }
    part += character;
  }
  return [...parts, part];
}

const zeroWidth = /^\p{M}$/u;
const doubleWidth =
  /^[\u{1100}-\u{115f}\u{2e80}-\u{303e}\u{3041}-\u{a4cf}\u{ac00}-\u{d7a3}\u{f900}-\u{faff}\u{fe30}-\u{fe6f}\u{ff00}-\u{ff60}\u{ffe0}-\u{ffe6}\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]$/u;

function characterWidth(character: string): number {
  if (character < '\u0300') return 1;
  if (zeroWidth.test(character)) return 0;
  return doubleWidth.test(character) ? 2 : 1;
}
