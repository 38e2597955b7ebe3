import type { Position, Problem } from '../problem.ts';

/** The problems as a compiler would print them: `file:line:column: error: sentence`, and the remedy below. */
export function formatProblems(problems: readonly Problem[]): string {
  return problems.map(formatProblem).join('\n');
}

function formatProblem({ severity, at, what, remedy }: Problem): string {
  return `${formatPosition(at)}: ${severity}: ${indented(what)}\n    ${indented(remedy)}`;
}

/** `file:line:column`; line 0 means that it is not a place in a file (a flag, or a file as a whole). */
export function formatPosition({ file, line, column }: Position): string {
  return line === 0 ? file : `${file}:${line}:${column}`;
}

function indented(text: string): string {
  return text.replaceAll('\n', '\n    ');
}
