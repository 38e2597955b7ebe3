import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';

/** Keeps the end of both outputs of a program, and tells each line as it comes. Ask for what was kept when it has ended. */
export function keepOutput(
  child: ChildProcess,
  onLine: ((line: string, from: 'out' | 'err') => void) | undefined,
): () => { readonly out: string; readonly err: string } {
  const kept = { out: '', err: '' };
  const keep = (stream: Readable | null, from: 'out' | 'err'): void => {
    if (stream === null) return;
    stream.setEncoding('utf8');
    stream.on('data', (text: string) => {
      kept[from] = (kept[from] + text).slice(-mostKept);
    });
    readLines(stream, (line) => onLine?.(line, from));
  };
  keep(child.stdout, 'out');
  keep(child.stderr, 'err');
  return () => ({ ...kept });
}

const mostKept = 1024 * 1024;

/** Each line of a stream, also the last one without an end; a line of more than 1 MiB comes in pieces. */
export function readLines(stream: Readable, onLine: (line: string) => void): void {
  let open = '';
  stream.setEncoding('utf8');
  stream.on('data', (text: string) => {
    const lines = (open + text).split('\n');
    open = lines.pop() ?? '';
    for (const line of lines) onLine(line.replace(/\r$/, ''));
    if (open.length < mostKept) return;
    onLine(open);
    open = '';
  });
  stream.on('end', () => {
    if (open !== '') onLine(open);
  });
  // A pipe that breaks has ended; its program's own end says more.
  stream.on('error', () => undefined);
}
