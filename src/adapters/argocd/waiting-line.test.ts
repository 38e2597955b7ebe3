import { expect, it } from 'vitest';
import { virtualTime } from '../../sandbox/time.ts';
import type { RawApplication } from './operation-patch.ts';
import { createWaitingLine } from './waiting-line.ts';

const ours = { initiatedBy: { username: 'tiphys' } };
const automated = { initiatedBy: { automated: true } };
const blocked = { operationState: { phase: 'Running', message: 'Sync operation blocked by sync window' } };
const running = { operationState: { phase: 'Running', message: 'waiting for healthy state of /Namespace/a' } };
const asked = { 'argocd.argoproj.io/refresh': 'normal' };

it.each([
  ['one that was not begun', { operation: ours, status: {} }, 1],
  ['one whose first look took it for an automated one', { operation: ours, status: blocked }, 1],
  ['not one that runs', { operation: ours, status: running }, 0],
  ['not an automated one that the hold forbids', { operation: automated, status: blocked }, 0],
  ['not where there is none', { operation: null, status: { operationState: null } }, 0],
])('counts as an operation in line %s', (_what, fields, length) => {
  const waiting = createWaitingLine(virtualTime());
  waiting.note('a', application(fields));
  expect(waiting.line('operations')).toEqual({ length, tookMs: 0 });
});

it('counts comparisons that were asked for, apart from operations', () => {
  const waiting = createWaitingLine(virtualTime());
  waiting.note('a', application({}, asked));
  waiting.note('b', application({}));
  expect([waiting.line('comparisons').length, waiting.line('operations').length]).toEqual([1, 0]);
});

it('knows how long most of the last answers took, from the request until it runs', async () => {
  const time = virtualTime();
  const waiting = createWaitingLine(time);
  for (const [name, firstMs, secondMs] of [
    ['a', 100, 200],
    ['overlooked', 100, 60_000],
    ['b', 400, 500],
  ] as const) {
    waiting.note(name, application({ operation: ours }));
    await time.run(time.sleep(firstMs));
    waiting.note(name, application({ operation: ours, status: blocked }));
    await time.run(time.sleep(secondMs));
    waiting.note(name, application({ operation: ours, status: running }));
  }
  expect(waiting.line('operations')).toEqual({ length: 0, tookMs: 900 });
});

it('forgets how long it took a while ago', async () => {
  const time = virtualTime();
  const waiting = createWaitingLine(time);
  for (const ms of [...Array<number>(30).fill(5_000), ...Array<number>(11).fill(100)]) {
    waiting.note('a', application({}, asked));
    await time.run(time.sleep(ms));
    waiting.note('a', application({}));
  }
  expect(waiting.line('comparisons').tookMs).toBe(100);
});

it('takes what is deleted, taken back, or was not listed again, out of the line, and for no answer', async () => {
  const time = virtualTime();
  const waiting = createWaitingLine(time);
  for (const name of ['a', 'b', 'c', 'd']) waiting.note(name, application({ operation: ours }));
  await time.run(time.sleep(1_000));
  waiting.note('a', undefined);
  waiting.note('b', application({ operation: null, status: {} }));
  waiting.only(['b', 'c', 'e']);
  expect(waiting.line('operations')).toEqual({ length: 1, tookMs: 0 });
});

function application(fields: object, annotations?: object): RawApplication {
  return { metadata: { name: 'a', resourceVersion: '1', ...(annotations && { annotations }) }, ...fields };
}
