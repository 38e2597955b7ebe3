/** The end of what a program said to people, as one line: its errors, or its output if it had none. */
export function lastWords(err: string, out: string): string {
  const lines = linesOf(err);
  const said = lines.length > 0 ? lines : linesOf(out);
  const text = said.slice(-6).join(' · ');
  return text.length > most ? `…${text.slice(-most)}` : text;
}

const most = 800;
const colours = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g');

function linesOf(text: string): readonly string[] {
  return text
    .replaceAll(colours, '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
