import type { Position, Problem } from '../problem.ts';

/** Gathers problems while files are read. Text may be given as a function: it is not made for problems that nobody will see. */
export interface Problems {
  error(at: Position, what: Text, remedy: Text): void;
  warning(at: Position, what: Text, remedy: Text): void;
  readonly hasErrors: boolean;
  /** In the order of the files and their lines; what went over the limit is one last entry. */
  list(): readonly Problem[];
}

type Text = string | (() => string);

/** Shown of each severity; a broken file of 10,000 apps must not make 10,000 edit distances or a screen nobody reads. */
const LIMIT = 50;

/** Starts with no problems. */
export function collectProblems(): Problems {
  const kept: Problem[] = [];
  const counts = { error: 0, warning: 0 };
  const add = (severity: Problem['severity'], at: Position, text: { what: Text; remedy: Text }) => {
    counts[severity] += 1;
    if (counts[severity] > LIMIT) return;
    kept.push({ severity, at, what: written(text.what), remedy: written(text.remedy) });
  };
  return {
    error: (at, what, remedy) => add('error', at, { what, remedy }),
    warning: (at, what, remedy) => add('warning', at, { what, remedy }),
    get hasErrors() {
      return counts.error > 0;
    },
    list: () => [...inOrder(kept), ...leftOut(counts, kept)],
  };
}

function written(text: Text): string {
  return typeof text === 'string' ? text : text();
}

function inOrder(problems: readonly Problem[]): Problem[] {
  const files = [...new Set(problems.map(({ at }) => at.file))];
  const place = ({ at }: Problem) => [files.indexOf(at.file), at.line, at.column] as const;
  return [...problems].sort((a, b) => {
    const [left, right] = [place(a), place(b)];
    return left[0] - right[0] || left[1] - right[1] || left[2] - right[2];
  });
}

function leftOut(counts: Record<Problem['severity'], number>, kept: readonly Problem[]): Problem[] {
  const more = counts.error + counts.warning - kept.length;
  const first = kept[0];
  if (more === 0 || first === undefined) return [];
  return [
    {
      severity: counts.error > LIMIT ? 'error' : 'warning',
      at: { file: first.at.file, line: 0, column: 0 },
      what: `and ${more} more.`,
      remedy: 'Mend the ones above first.',
    },
  ];
}
