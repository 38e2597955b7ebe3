import { expect, test } from 'vitest';
import type { Application } from './application.ts';
import type { Project, SyncWindow } from './projects.ts';
import { windowsAllow } from './sync-windows.ts';

const always = { schedule: '* * * * *', duration: '24h' };
const hold: SyncWindow = { kind: 'deny', ...always, applications: ['web'], manualSync: true };

test.each<[string, readonly SyncWindow[], { hand: boolean; argocd: boolean }]>([
  ['no window', [], { hand: true, argocd: true }],
  ['a hold', [hold], { hand: true, argocd: false }],
  ['a hold by a pattern', [{ ...hold, applications: ['w?b*'] }], { hand: true, argocd: false }],
  ['a hold of another app', [{ ...hold, applications: ['web-2', 'we'] }], { hand: true, argocd: true }],
  [
    'a hold of the namespace',
    [{ kind: 'deny', ...always, namespaces: ['shop'], manualSync: true }],
    { hand: true, argocd: false },
  ],
  ['a ban', [{ ...hold, manualSync: false }], { hand: false, argocd: false }],
  ['a hold and a ban', [hold, { ...hold, manualSync: false }], { hand: false, argocd: false }],
  ['a window that is not open now', [{ ...hold, schedule: '0 3 * * *' }], { hand: true, argocd: true }],
  ['leave at all times', [{ kind: 'allow', ...always, applications: ['*'] }], { hand: true, argocd: true }],
  [
    'leave at another time',
    [{ kind: 'allow', schedule: '0 3 * * *', duration: '1h', applications: ['*'] }],
    { hand: false, argocd: false },
  ],
])('with %s', (_what, syncWindows, expected) => {
  const project = { spec: { syncWindows } } as unknown as Project;
  const application = {
    metadata: { name: 'web' },
    spec: { destination: { server: 'https://kubernetes.default.svc', namespace: 'shop' } },
  } as unknown as Application;
  const allowed = {
    hand: windowsAllow(project, application, 'hand'),
    argocd: windowsAllow(project, application, 'argocd'),
  };
  expect(allowed).toEqual(expected);
});
