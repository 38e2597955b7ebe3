import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

export interface SourceFile {
  readonly file: string;
  readonly text: string;
}

export interface PlatformFolder {
  readonly dag: SourceFile;
  readonly environment: SourceFile;
  readonly scenario: SourceFile | undefined;
}

/** Larger than any platform file, small enough to read at once; the reader has its own, lower limit with a better sentence. */
const largestBytes = 32 * 1024 * 1024;

/** Reads a platform's files; the result names what is missing instead of throwing. */
export async function readPlatformFolder(
  folder: string,
): Promise<PlatformFolder | { readonly missing: string; readonly because: string }> {
  const texts: Record<string, SourceFile> = {};
  for (const name of ['dag.yaml', 'environment.yaml']) {
    const file = join(folder, name);
    const text = await readText(file);
    if (typeof text !== 'string') return { missing: file, because: text.because };
    texts[name] = { file, text };
  }
  const scenario = join(folder, 'scenario.yaml');
  const scenarioText = await readText(scenario);
  return {
    dag: texts['dag.yaml'] as SourceFile,
    environment: texts['environment.yaml'] as SourceFile,
    scenario: typeof scenarioText === 'string' ? { file: scenario, text: scenarioText } : undefined,
  };
}

/** A file's text, or why it cannot be had. */
export async function readText(file: string): Promise<string | { readonly because: string }> {
  try {
    const { size } = await stat(file);
    if (size > largestBytes) return { because: `is ${Math.round(size / 1024 / 1024)} MB large` };
    return await readFile(file, 'utf8');
  } catch (error) {
    return { because: reason(error) };
  }
}

function reason(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'does not exist';
  if (code === 'EACCES' || code === 'EPERM') return 'may not be read';
  if (code === 'EISDIR') return 'is a folder';
  return `cannot be read (${code ?? String(error)})`;
}
