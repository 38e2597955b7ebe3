import * as z from 'zod';
import { durationPattern, parseDuration } from './parse-duration.ts';

// Small values that both files are made of. A custom issue carries its sentence and remedy in `params`; `examples` are shown when a key is missing.

const LABEL = '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$';
const SUBDOMAIN = '^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$';
/** Timers cannot hold more than 24.8 days. */
const LONGEST_MS = 24 * 24 * 3_600_000;

/** The name of an app, a stack, a part, a platform or a namespace. */
export const label = matching(
  LABEL,
  'lower-case letters, digits and dashes, at most 63, and begins and ends with a letter or digit',
);

/** An Application, whose name may have dots, in Argo CD's own namespace or in one that is named. */
export const applicationName = matching(
  `${LABEL.slice(0, -1)}/${SUBDOMAIN.slice(1)}|${SUBDOMAIN}`,
  'lower-case letters, digits, dashes and dots, with its namespace and a slash before it when that is not Argo CD’s own',
);

/** A time to wait for something: more than nothing, less than a timer can hold. */
export const timeout = duration({ leastMs: 1 });

/** A pause, which may be nothing. */
const pause = duration({ leastMs: 0 });

export const timeouts = z.strictObject({ sync: timeout.optional(), health: timeout.optional() });

export const retries = z.strictObject({
  maxAttempts: z.int().min(1).max(100).optional().meta({ description: 'How often a step is tried in all.' }),
  backoff: pause.optional(),
});

function matching(pattern: string, rule: string) {
  const expression = new RegExp(pattern);
  return z
    .string()
    .superRefine((text, context) => {
      if (expression.test(text)) return;
      const what = `"${shortened(text)}" is not a usable name.`;
      complain(context, what, `A name has ${rule}${suggestion(text, expression)}.`);
    })
    .meta({ pattern, examples: ['acme'] });
}

function suggestion(text: string, expression: RegExp): string {
  const tidy = text
    .toLowerCase()
    .replaceAll(/[^a-z0-9.-]+/g, '-')
    .replaceAll(/^[-.]+|[-.]+$/g, '');
  return expression.test(tidy) ? `; for example "${tidy}"` : '';
}

function duration({ leastMs }: { leastMs: number }) {
  return z
    .string()
    .meta({ pattern: durationPattern, examples: ['5m', '1h30m'], description: 'A duration as Go writes it.' })
    .transform((text, context) => {
      const milliseconds = parseDuration(text);
      if (milliseconds === undefined)
        complain(
          context,
          `"${shortened(text)}" is not a duration.`,
          'Write a number and a unit, for example 90s, 5m or 1h30m.',
        );
      else if (milliseconds < leastMs)
        complain(context, `"${text}" is no time at all.`, 'Write a duration of at least 1ms.');
      else if (milliseconds > LONGEST_MS) complain(context, `"${text}" is too long.`, 'Write at most 576h (24 days).');
      return milliseconds ?? 0;
    });
}

interface Context {
  addIssue(issue: { code: 'custom'; message: string; params: { what: string; remedy: string } }): void;
}

/** Adds an issue that carries its own sentence and remedy. */
export function complain(context: Context, what: string, remedy: string): void {
  context.addIssue({ code: 'custom', message: what, params: { what, remedy } });
}

function shortened(text: string): string {
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}
