import type { RunEventBody } from '../run/events.ts';
import type { Listening, RoleState } from './listen.ts';
import { rolesAfter } from './roles.ts';

/** How ansible-playbook ended. */
export interface PlaybookEnd {
  readonly because: 'ended' | 'not-found' | 'not-executable' | 'deadline' | 'stopped';
  readonly code: number | undefined;
  /** The end of what it said to a person, without secrets. */
  readonly said: string;
}

/** Closes the run: what has no end of its own gets one with the reason, and the outcome is a success only if every role said so. */
export function finish({ roles }: Listening, end: PlaybookEnd): readonly RunEventBody[] {
  const interrupted: readonly RunEventBody[] =
    end.because === 'stopped' ? [{ type: 'run-interrupted', because: interruption(roles) }] : [];
  const failures = openFailures(roles, end);
  const failed = [...namesIn(roles, 'failed'), ...failures.map(({ node }) => node)];
  const blocked = end.because === 'stopped' ? [] : blockedBy(failed, namesIn(roles, 'waiting'));
  const isWhole = [...roles.values()].every(({ state }) => state === 'done');
  const isGood = isWhole && end.because === 'ended' && end.code === 0;
  return [
    ...interrupted,
    ...failures,
    ...blocked,
    ...(isWhole && !isGood ? [lateTrouble(end)] : []),
    isGood
      ? { type: 'run-finished', outcome: 'success', exitCode: 0 }
      : end.because === 'deadline'
        ? { type: 'run-finished', outcome: 'timeout', exitCode: 4 }
        : { type: 'run-finished', outcome: 'failed', exitCode: 1 },
  ];
}

type NodeFailed = Extract<RunEventBody, { readonly type: 'node-failed' }>;

/** Who was at work fails with it; if nobody was, and nobody has failed, whose turn it was does: a failed run names somebody. */
function openFailures(roles: Listening['roles'], end: PlaybookEnd): readonly NodeFailed[] {
  const running = namesIn(roles, 'running');
  if (running.length > 0) return running.map((name) => cutShort(name, roles.get(name), end));
  if (end.because === 'stopped' || namesIn(roles, 'failed').length > 0) return [];
  return namesIn(roles, 'waiting')
    .slice(0, 1)
    .map((name) => failed(name, end, `${endText(end)} before this role began${saidText(end)}`));
}

function cutShort(name: string, role: RoleState | undefined, end: PlaybookEnd): NodeFailed {
  const during = role === undefined || role.doing === '' ? '' : ` during ${role.doing}`;
  if (end.because === 'stopped') return failed(name, end, `interrupted${during}`);
  if (end.because === 'deadline') return failed(name, end, `the time for the bootstrap was over${during}`);
  if (role?.trouble !== undefined) return failed(name, end, `${role.trouble}; ${endText(end)} without a result`);
  return failed(name, end, `${endText(end)}${during} without a result${saidText(end)}`);
}

function failed(node: string, end: PlaybookEnd, because: string): NodeFailed {
  return {
    type: 'node-failed',
    node,
    because,
    hint:
      end.because === 'deadline'
        ? 'See what it waits for; if it only needs longer, give it more with --timeout. The same command continues.'
        : 'Run the same command again: every role looks first and changes only what is missing.',
    attempts: 1,
    timedOut: end.because === 'deadline',
  };
}

function endText({ because, code }: PlaybookEnd): string {
  if (because === 'not-found') return 'ansible-playbook was not there any more';
  if (because === 'not-executable') return 'ansible-playbook could not be started';
  return code === undefined ? 'ansible-playbook was ended by a signal' : `ansible-playbook ended with code ${code}`;
}

function saidText({ said }: PlaybookEnd): string {
  return said === '' ? ' and said nothing' : `: ${said}`;
}

function interruption(roles: Listening['roles']): string {
  const at = namesIn(roles, 'running')
    .map((name) => `${name}${roles.get(name)?.doing ? ` (${roles.get(name)?.doing})` : ''}`)
    .join(', ');
  return `stopped on request${at === '' ? '' : ` during ${at}`}; Ansible and everything it had started was ended`;
}

function lateTrouble(end: PlaybookEnd): RunEventBody {
  return {
    type: 'warning',
    message: `every role succeeded, but ${endText(end)}${saidText(end)}`,
    hint: 'Run the same command again: it changes nothing that is as wanted.',
  };
}

function blockedBy(causes: readonly string[], waiting: readonly string[]): readonly RunEventBody[] {
  return waiting.flatMap((node): readonly RunEventBody[] => {
    const by = causes.filter((cause) => rolesAfter(cause).has(node));
    return by.length === 0 ? [] : [{ type: 'node-blocked', node, by }];
  });
}

function namesIn(roles: Listening['roles'], state: RoleState['state']): readonly string[] {
  return [...roles].filter(([, role]) => role.state === state).map(([name]) => name);
}
