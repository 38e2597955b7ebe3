import { type Document, LineCounter } from 'yaml';
import type { Position } from '../problem.ts';
import type { Problems } from './collect-problems.ts';
import { describeYamlError } from './describe-yaml-error.ts';
import { parseYaml } from './parse-yaml.ts';
import { type Offsets, plainValue } from './plain-value.ts';

/** A file's name and its text. */
export interface SourceFile {
  readonly file: string;
  readonly text: string;
}

export type Path = readonly PropertyKey[];

/** A YAML file as a plain value that still knows where each part of it stands. */
export interface YamlSource {
  readonly file: string;
  readonly value: unknown;
  /** Where the value at this path stands; where there is none, the nearest thing above it. */
  at(path: Path): Position;
  /** Where the key of this path stands. */
  atKey(path: Path): Position;
}

const LARGEST_MB = 5;
const LARGEST = LARGEST_MB * 1024 * 1024;
const SYNTAX_ERRORS_SHOWN = 5;

/** Reads one YAML document with its positions. Whatever the text holds, the answer is a value or problems, never a throw. */
export function readYaml({ file, text }: SourceFile, problems: Problems): YamlSource | undefined {
  const start = { file, line: 1, column: 1 };
  const refusal = refuse(text);
  if (refusal !== undefined) {
    problems.error(start, refusal.what, refusal.remedy);
    return undefined;
  }
  const lines = new LineCounter();
  const document = parseYaml(text, lines);
  if (document === undefined) {
    problems.error(start, 'The file is nested too deeply to be read.', 'Write it as the schema describes it.');
    return undefined;
  }
  const position = (offset: number) => positionAt(file, lines, offset);
  if (reportSyntax(document, position, problems)) return undefined;
  if (document.contents === null) {
    problems.error(start, isEmpty.what, isEmpty.remedy);
    return undefined;
  }
  const { value, offsets } = plainValue(document.contents, position, problems);
  if (value === undefined) return undefined;
  return source({ file, value, offsets, position });
}

const isEmpty = { what: 'The file is empty.', remedy: 'Start from the same file of an example platform.' };

function refuse(text: string): { what: string; remedy: string } | undefined {
  if (text.length > LARGEST) {
    const size = (text.length / 1024 / 1024).toFixed(1);
    return {
      what: `The file is too large: ${size} MB, where ${LARGEST_MB} MB is the limit.`,
      remedy: 'A platform of 10,000 apps takes less than 2 MB: check that this is the right file.',
    };
  }
  if (text.includes('\0') || text.includes('\uFFFD')) {
    return { what: 'This is not a text file in UTF-8.', remedy: 'Save it as UTF-8 text, or name the right file.' };
  }
  return text.trim() === '' ? isEmpty : undefined;
}

function reportSyntax(document: Document.Parsed, position: (offset: number) => Position, problems: Problems): boolean {
  // One slip makes many errors further down; the first few are the ones that help.
  const found = [...document.errors, ...document.warnings].slice(0, SYNTAX_ERRORS_SHOWN);
  for (const error of found) {
    const { what, remedy } = describeYamlError(error);
    problems.error(position(error.pos[0]), what, remedy);
  }
  return found.length > 0;
}

function positionAt(file: string, lines: LineCounter, offset: number): Position {
  const { line, col } = lines.linePos(offset);
  return { file, line: Math.max(1, line), column: Math.max(1, col) };
}

interface Parts {
  readonly file: string;
  readonly value: unknown;
  readonly offsets: Offsets;
  readonly position: (offset: number) => Position;
}

function source({ file, value, offsets, position }: Parts): YamlSource {
  const find = (path: Path, which: 'key' | 'value'): Position => {
    let found = 0;
    let at: unknown = value;
    for (const [depth, key] of path.entries()) {
      const place = typeof at === 'object' && at !== null ? offsets.get(at)?.get(key) : undefined;
      if (place === undefined) break;
      found = which === 'key' && depth === path.length - 1 ? place.key : place.value;
      at = place.child;
    }
    return position(found);
  };
  return { file, value, at: (path) => find(path, 'value'), atKey: (path) => find(path, 'key') };
}
