import { expect, it } from 'vitest';
import { virtualTime } from '../../sandbox/time.ts';
import { createLineCount } from './line-count.ts';
import type { RawApplication } from './operation-patch.ts';

const ours = { initiatedBy: { username: 'tiphys' } };
const automated = { initiatedBy: { automated: true } };
const blocked = { operationState: { phase: 'Running', message: 'Sync operation blocked by sync window' } };
const running = { operationState: { phase: 'Running', message: 'waiting for healthy state of /Namespace/a' } };

it.each([
  ['one that was not begun', { operation: ours, status: {} }, 1],
  ['one whose first look took it for an automated one', { operation: ours, status: blocked }, 1],
  ['not one that runs', { operation: ours, status: running }, 0],
  ['not an automated one that the hold forbids', { operation: automated, status: blocked }, 0],
  ['not where there is none', { operation: null, status: { operationState: null } }, 0],
])('counts as an operation in line %s', (_what, fields, count) => {
  expect(createLineCount(virtualTime(), () => [application(fields)])('operations')).toBe(count);
});

it('counts comparisons that were asked for, apart from operations', () => {
  const annotations = { 'argocd.argoproj.io/refresh': 'normal' };
  const count = createLineCount(virtualTime(), () => [application({}, annotations), undefined, application({})]);
  expect([count('comparisons'), count('operations')]).toEqual([1, 0]);
});

it('counts again after half a second, and not for everybody who asks', async () => {
  const time = virtualTime();
  let looks = 0;
  const count = createLineCount(time, () => {
    looks += 1;
    return Array.from({ length: looks }, () => application({ operation: ours }));
  });
  expect([count('operations'), count('operations')]).toEqual([1, 1]);
  await time.run(time.sleep(500));
  expect(count('operations')).toBe(2);
});

function application(fields: object, annotations?: object): RawApplication {
  return { metadata: { name: 'a', resourceVersion: '1', ...(annotations && { annotations }) }, ...fields };
}
