// A terminal's screen as an SVG: text with SGR colours in, a picture out.

const escapeCharacter = String.fromCharCode(27);
const colourCode = new RegExp(`(${escapeCharacter}\\[[0-9;]*m)`);
const cell = { width: 8.4, height: 18 };
const margin = { left: 18, top: 46, right: 18, bottom: 18 };
const ink = { text: '#d7dde4', dim: '#7d8894', page: '#14181d', bar: '#20262d' };
const colours = ['#5c6773', '#f07178', '#8fce7b', '#e6c34d', '#6cb6ff', '#c792ea', '#5ccfe6', '#d7dde4'];

/** `screen` as `tmux capture-pane -e -p` prints it. */
export function screenSvg(screen, { columns }) {
  const lines = screen.replace(/\n+$/, '').split('\n');
  const width = margin.left + columns * cell.width + margin.right;
  const height = margin.top + lines.length * cell.height + margin.bottom;
  const style = { bold: false, dim: false, colour: undefined };
  const rows = lines.flatMap((line, row) => runsOf(line, style).map((run) => textOf(run, row)));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="The live view of a deployment in a terminal">
<rect width="${width}" height="${height}" rx="10" fill="${ink.page}"/>
<path d="M0 30V10a10 10 0 0 1 10-10H${width - 10}a10 10 0 0 1 10 10V30z" fill="${ink.bar}"/>
${['#f07178', '#e6c34d', '#8fce7b'].map((fill, index) => `<circle cx="${20 + index * 18}" cy="15" r="5" fill="${fill}"/>`).join('')}
<g font-family="ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace" font-size="14" fill="${ink.text}">
${rows.join('\n')}
</g>
</svg>
`;
}

/** The screen without its colours. */
export function plainText(screen) {
  return screen
    .split(colourCode)
    .filter((piece) => !piece.startsWith(escapeCharacter))
    .join('');
}

/** Pieces of one line that look the same, with the column each begins in. The style goes on to the next line. */
function runsOf(line, style) {
  const runs = [];
  let column = 0;
  for (const piece of line.split(colourCode)) {
    if (piece.startsWith(escapeCharacter)) {
      apply(style, piece.slice(2, -1));
      continue;
    }
    // Browsers collapse spaces: columns are kept by placing each group of words on its own.
    for (const words of piece.matchAll(/\S+(?: \S+)*/g)) {
      runs.push({ text: words[0], column: column + [...piece.slice(0, words.index)].length, ...style });
    }
    column += [...piece].length;
  }
  return runs;
}

function apply(style, codes) {
  for (const code of codes.split(';').map(Number)) {
    if (code === 0) Object.assign(style, { bold: false, dim: false, colour: undefined });
    else if (code === 1) style.bold = true;
    else if (code === 2) style.dim = true;
    else if (code === 22) Object.assign(style, { bold: false, dim: false });
    else if (code === 39) style.colour = undefined;
    else if (code >= 30 && code <= 37) style.colour = code - 30;
    else if (code >= 90 && code <= 97) style.colour = code - 90;
  }
}

function textOf({ text, column, bold, dim, colour }, row) {
  const length = [...text].length;
  // Fonts differ in width: each piece is stretched to its cells, so that columns stay columns.
  const place = `x="${round(margin.left + column * cell.width)}" y="${margin.top + row * cell.height + 12}" textLength="${round(length * cell.width)}" lengthAdjust="spacingAndGlyphs"`;
  const fill = colour === undefined ? (dim ? ink.dim : ink.text) : colours[colour];
  const look = `${fill === ink.text ? '' : ` fill="${fill}"`}${bold ? ' font-weight="bold"' : ''}${dim && colour !== undefined ? ' opacity="0.6"' : ''}`;
  return `<text ${place}${look}>${escaped(text)}</text>`;
}

function round(value) {
  return Math.round(value * 10) / 10;
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
