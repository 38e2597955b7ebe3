import { readFile } from 'node:fs/promises';

/** What a Go program says it was built from. */
export interface BuildInfo {
  readonly go: string;
  readonly path: string;
  readonly modules: readonly { readonly path: string; readonly version: string }[];
}

/** Reads what the Go linker writes into every program; undefined when there is nothing of that kind. Works for any architecture. */
export async function readBuildInfo(file: string): Promise<BuildInfo | undefined> {
  const bytes = await readFile(file);
  // A program that knows how to read such notes holds the mark as a constant, too: a note is aligned and says how it is written.
  for (let at = bytes.indexOf(mark); at !== -1; at = bytes.indexOf(mark, at + 1)) {
    if (at % 16 !== 0 || (bytes.readUInt8(at + mark.length + 1) & inlineStrings) === 0) continue;
    const go = readText(bytes, at + headerLength);
    const note = readText(bytes, go.end);
    if (go.text.startsWith('go')) return parse(go.text, note.text);
  }
  return undefined;
}

const mark = Buffer.from('\xff Go buildinf:', 'latin1');
const headerLength = 32;
const inlineStrings = 2;
/** Before and after the list of modules, so that it is found in a core dump, too. */
const sentinelLength = 16;

function readText(bytes: Buffer, start: number): { text: string; end: number } {
  let length = 0;
  let at = start;
  for (let shift = 0; ; shift += 7) {
    const byte = bytes.readUInt8(at++);
    length |= (byte & 0x7f) << shift;
    if (byte < 0x80) break;
  }
  return { text: bytes.toString('latin1', at, at + length), end: at + length };
}

function parse(go: string, note: string): BuildInfo {
  const lines = note.slice(sentinelLength, -sentinelLength).split('\n');
  const modules: { path: string; version: string }[] = [];
  let path = '';
  for (const [kind, name = '', version = ''] of lines.map((line) => line.split('\t'))) {
    if (kind === 'path') path = name;
    if (kind === 'mod' || kind === 'dep') modules.push({ path: name, version });
    // What stands here replaces the module of the line before.
    if (kind === '=>') modules.splice(-1, 1, { path: name, version });
  }
  // The module that only ties others together has no version.
  return { go, path, modules: modules.filter(({ version }) => version.startsWith('v')) };
}
