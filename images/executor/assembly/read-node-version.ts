import { readFile } from 'node:fs/promises';

/**
 * Which version a program of Node.js is; undefined when it does not say. It may be for another machine and is not run: every release
 * holds the address of its own headers.
 */
export async function readNodeVersion(file: string): Promise<string | undefined> {
  const bytes = await readFile(file);
  const end = bytes.indexOf('-headers.tar.gz');
  if (end === -1) return undefined;
  return /node-v(\d+\.\d+\.\d+)$/.exec(bytes.toString('latin1', Math.max(0, end - longest), end))?.[1];
}

/** Far more than the end of an address and a version. */
const longest = 40;
