import type { RunEventBody } from '../run/events.ts';
import type { Evidence } from '../run/evidence.ts';
import type { RoleResult } from './callback-event.ts';

/** How a role ended, as the end of its node. `trouble` is the first task that failed, for a role that does not say why. */
export function resultEvent(result: RoleResult, trouble: string | undefined): RunEventBody {
  if (result.status !== 'success') return failure(result, trouble);
  const node = result.role;
  if (result.changed) return { type: 'node-healthy', node, evidence: evidenceOf(result) };
  const what = chartText(result);
  const because = what === undefined ? 'everything was there already' : `${what} is installed and healthy`;
  return { type: 'node-skipped', node, because, evidence: evidenceOf(result) };
}

function failure({ role, status, error }: RoleResult, trouble: string | undefined): RunEventBody {
  const cause = error ?? trouble ?? 'the role did not say why';
  const isBack = status === 'rolled_back';
  return {
    type: 'node-failed',
    node: role,
    because: isBack ? `${cause}; rolled back: what was there before is there again` : cause,
    hint: isBack
      ? 'Mend what the message names, then run the same command again.'
      : 'Mend what the message names, then run the same command again: every role looks first and changes only what is missing.',
    attempts: 1,
    timedOut: false,
  };
}

function evidenceOf(result: RoleResult): Evidence {
  const { chart, revision, appVersion } = result;
  const what = chartText(result);
  return {
    health: 'Healthy',
    ...(chart === undefined || revision === undefined ? {} : { operationId: `helm ${chart} revision ${revision}` }),
    ...(what === undefined ? {} : { revision: what }),
    ...(chart === undefined || appVersion === undefined ? {} : { checks: [`${chart} runs version ${appVersion}`] }),
  };
}

function chartText({ chart, version }: RoleResult): string | undefined {
  return chart === undefined ? undefined : [chart, version].filter((part) => part !== undefined).join(' ');
}
