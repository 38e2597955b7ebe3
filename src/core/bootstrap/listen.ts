import type { RunEventBody } from '../run/events.ts';
import { type CallbackEvent, type RolePhase, readCallbackLine } from './callback-event.ts';
import { resultEvent } from './role-result.ts';
import { bootstrapRoles } from './roles.ts';

/** What is known of each role while Ansible runs. */
export interface Listening {
  readonly roles: ReadonlyMap<string, RoleState>;
}

export interface RoleState {
  readonly state: 'waiting' | 'running' | 'done' | 'failed';
  /** What it is at: `validate: Wait until the API answers`. */
  readonly doing: string;
  readonly phase: RolePhase | undefined;
  /** The task that failed first, in a sentence: what comes later is the way back. */
  readonly trouble: string | undefined;
}

export interface Heard {
  readonly state: Listening;
  readonly told: readonly RunEventBody[];
}

/** Before the first line. */
export const silence: Listening = {
  roles: new Map(
    bootstrapRoles.map(({ name }) => [name, { state: 'waiting', doing: '', phase: undefined, trouble: undefined }]),
  ),
};

/** One more line of the callback. Lines that make no sense, and what is told of a role that has ended, change nothing. */
export function hear(state: Listening, line: string): Heard {
  const event = readCallbackLine(line);
  if (event === undefined || event.event === 'finished') return { state, told: [] };
  const role = state.roles.get(event.role);
  if (role === undefined || role.state === 'done' || role.state === 'failed') return { state, told: [] };
  const begun: readonly RunEventBody[] =
    role.state === 'waiting' ? [{ type: 'node-started', node: event.role, attempt: 1 }] : [];
  const { next, told } = advance({ ...role, state: 'running' }, event);
  return { state: { roles: new Map(state.roles).set(event.role, next) }, told: [...begun, ...told] };
}

type RoleEvent = Exclude<CallbackEvent, { readonly event: 'finished' }>;

function advance(
  role: RoleState,
  event: RoleEvent,
): { readonly next: RoleState; readonly told: readonly RunEventBody[] } {
  switch (event.event) {
    case 'role-started':
      return { next: role, told: [] };
    case 'phase': {
      const doing = sentence(event.phase, event.task);
      return { next: { ...role, doing, phase: event.phase }, told: [progress(event.role, event.phase, doing)] };
    }
    case 'retrying': {
      const doing = `${sentence(role.phase, event.task)} (attempt ${event.attempt} of ${event.of})`;
      return { next: { ...role, doing }, told: [progress(event.role, role.phase, doing)] };
    }
    case 'task-failed': {
      const trouble = `${sentence(event.phase, event.task)}: ${event.message || 'failed without a message'}`;
      return { next: { ...role, trouble: role.trouble ?? trouble }, told: [] };
    }
    case 'role-result':
      return {
        next: { ...role, state: event.status === 'success' ? 'done' : 'failed' },
        told: [resultEvent(event, role.trouble)],
      };
  }
}

/** What changes the cluster counts as work, what looks at it as the gate. */
function progress(node: string, phase: RolePhase | undefined, doing: string): RunEventBody {
  return phase === 'apply' || phase === 'rollback'
    ? { type: 'operation-progress', node, message: doing }
    : { type: 'gate-progress', node, waitingFor: doing };
}

function sentence(phase: RolePhase | undefined, task: string): string {
  return [phase, task].filter((part) => part !== undefined && part !== '').join(': ') || 'a task without a name';
}
