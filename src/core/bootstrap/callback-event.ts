import * as z from 'zod';

const role = z.string().min(1);
const text = z.string().catch('');
const maybeText = z.string().min(1).optional().catch(undefined);
const maybeNumber = z.number().finite().optional().catch(undefined);
const phase = z.enum(['pre-check', 'apply', 'test', 'validate', 'rollback', 'result']).optional().catch(undefined);

const callbackEvent = z.discriminatedUnion('event', [
  z.object({ event: z.literal('role-started'), role }),
  z.object({ event: z.literal('phase'), role, phase, task: text }),
  z.object({
    event: z.literal('retrying'),
    role,
    task: text,
    attempt: z.number().int().catch(1),
    of: z.number().int().catch(1),
  }),
  z.object({ event: z.literal('task-failed'), role, phase, task: text, message: text }),
  z.object({
    event: z.literal('role-result'),
    role,
    status: z.enum(['success', 'failed', 'rolled_back']),
    // Who does not say that nothing changed is not believed to have changed nothing.
    changed: z.boolean().catch(true),
    chart: maybeText,
    version: maybeText,
    appVersion: maybeText,
    revision: maybeNumber,
    error: maybeText,
  }),
  z.object({ event: z.literal('finished') }),
]);

/** What the callback plugin tells, one a line. */
export type CallbackEvent = z.output<typeof callbackEvent>;
export type RoleResult = Extract<CallbackEvent, { readonly event: 'role-result' }>;
export type RolePhase = 'pre-check' | 'apply' | 'test' | 'validate' | 'rollback' | 'result';

/** One line of the callback; undefined when it is not one: half a line of a killed program, or an event that this release does not know. */
export function readCallbackLine(line: string): CallbackEvent | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  const parsed = callbackEvent.safeParse(value);
  return parsed.success ? parsed.data : undefined;
}
