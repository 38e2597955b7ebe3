import { gunzipSync } from 'node:zlib';

/** The regular files of a .tgz by their paths, in memory: nothing is unpacked. Throws a sentence for what no honest archive holds. */
export function readTgz(archive: Uint8Array): ReadonlyMap<string, Uint8Array> {
  const tar = unzipped(archive);
  const files = new Map<string, Uint8Array>();
  let longName: string | undefined;
  for (let at = 0; at + block <= tar.length; ) {
    const header = tar.subarray(at, at + block);
    if (header.every((byte) => byte === 0)) break;
    const size = sizeOf(header);
    const content = tar.subarray(at + block, at + block + size);
    if (content.length < size) throw new Error('it ends in the middle of a file');
    at += block + Math.ceil(size / block) * block;
    const entry = entryOf(header, content, longName);
    longName = entry.kind === 'name' ? entry.path : undefined;
    if (entry.kind === 'file') add(files, entry.path, content);
  }
  return files;
}

const block = 512;
const mostBytes = 64 * 1024 * 1024;

function unzipped(archive: Uint8Array): Uint8Array {
  try {
    return gunzipSync(archive, { maxOutputLength: mostBytes });
  } catch {
    throw new Error('it is no gzip archive, is damaged, or holds more than 64 MiB');
  }
}

interface Entry {
  readonly kind: 'file' | 'name' | 'nothing';
  readonly path: string;
}

function entryOf(header: Uint8Array, content: Uint8Array, longName: string | undefined): Entry {
  const type = String.fromCharCode(header[156] ?? 0);
  switch (type) {
    case '0':
    case '\0':
      return { kind: 'file', path: longName ?? nameIn(header) };
    // Folders, and what is said about all that follows.
    case '5':
    case 'g':
      return { kind: 'nothing', path: '' };
    // GNU's and POSIX's ways to say a long name before its file.
    case 'L':
      return { kind: 'name', path: textIn(content) };
    case 'x':
      return { kind: 'name', path: paxPath(content) ?? longName ?? '' };
    default:
      throw new Error('it holds something that is no file: a link or a device');
  }
}

function add(files: Map<string, Uint8Array>, path: string, content: Uint8Array): void {
  const steps = path.split('/');
  if (steps.some((step) => step === '..' || step === '' || step === '.') || /[\\\0]/.test(path))
    throw new Error(`it holds a path that leads elsewhere: ${JSON.stringify(path.slice(0, 80))}`);
  if (files.has(path)) throw new Error(`it holds ${path} twice`);
  files.set(path, content);
}

function nameIn(header: Uint8Array): string {
  const name = textIn(header.subarray(0, 100));
  const isPosix = textIn(header.subarray(257, 262)) === 'ustar';
  const prefix = isPosix ? textIn(header.subarray(345, 500)) : '';
  return prefix === '' ? name : `${prefix}/${name}`;
}

function sizeOf(header: Uint8Array): number {
  const text = textIn(header.subarray(124, 136)).trim();
  if (!/^[0-7]+$/.test(text)) throw new Error('it is no tar archive');
  return Number.parseInt(text, 8);
}

/** `<length> path=<value>\n`, among other records. */
function paxPath(content: Uint8Array): string | undefined {
  return /(?:^|\n)\d+ path=([^\n]*)\n/.exec(new TextDecoder().decode(content))?.[1];
}

/** Up to the first zero byte. */
function textIn(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return new TextDecoder().decode(end < 0 ? bytes : bytes.subarray(0, end));
}
