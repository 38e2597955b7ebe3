import { describe, expect, it } from 'vitest';
import { toReport } from '../report/to-report.ts';
import { eventsOf, roleLines, runOf, well } from './bootstrap-run.fixture.ts';
import { planBootstrap } from './plan-bootstrap.ts';
import { bootstrapRoles, rolesAfter } from './roles.ts';

const all = bootstrapRoles.map(({ name }) => name);
const argoCd = { chart: 'argo-cd', version: '10.8.0', appVersion: 'v3.5.2', revision: 2 };

describe('the roles', () => {
  it('come in the order of R6.3', () => {
    expect(planBootstrap('acme').waves).toEqual([
      ['argocd', 'sealed-secrets'],
      ['argo-workflows', 'gitops-handoff'],
      ['argo-events'],
    ]);
    // The playbook runs them one after the other: each after everything it follows.
    for (const { name, after } of bootstrapRoles)
      for (const need of after) expect(all.indexOf(need)).toBeLessThan(all.indexOf(name));
    expect([...rolesAfter('argocd')]).toEqual(['argo-workflows', 'argo-events', 'gitops-handoff']);
  });
});

describe('a bootstrap that goes well', () => {
  it('is an ordinary run, told while it goes', () => {
    expect(eventsOf(roleLines('argocd', argoCd), well).slice(0, 6)).toEqual([
      { type: 'node-started', node: 'argocd', attempt: 1 },
      { type: 'gate-progress', node: 'argocd', waitingFor: 'pre-check: Look at the cluster' },
      { type: 'operation-progress', node: 'argocd', message: 'apply: Install the chart' },
      { type: 'gate-progress', node: 'argocd', waitingFor: 'validate: Wait until the API answers' },
      {
        type: 'gate-progress',
        node: 'argocd',
        waitingFor: 'validate: Wait until the API answers (attempt 3 of 30)',
      },
      {
        type: 'node-healthy',
        node: 'argocd',
        evidence: {
          health: 'Healthy',
          operationId: 'helm argo-cd revision 2',
          revision: 'argo-cd 10.8.0',
          checks: ['argo-cd runs version v3.5.2'],
        },
      },
    ]);
    const run = runOf(
      all.flatMap((role) => roleLines(role)),
      well,
    );
    expect(run).toMatchObject({ outcome: 'success', exitCode: 0 });
    expect([...run.nodes.values()].map(({ state }) => state)).toEqual(all.map(() => 'healthy'));
  });

  it('says of a second run that everything was there (INV-6)', () => {
    const lines = all.flatMap((role) => roleLines(role, { changed: false, ...(role === 'argocd' ? argoCd : {}) }));
    const run = runOf(lines, well);
    expect(run.outcome).toBe('success');
    expect(run.nodes.get('argocd')).toMatchObject({
      state: 'skipped',
      because: 'argo-cd 10.8.0 is installed and healthy',
    });
    expect(run.nodes.get('gitops-handoff')).toMatchObject({
      state: 'skipped',
      because: 'everything was there already',
    });
  });
});

describe('a bootstrap that fails', () => {
  it('names the role, what it tried, and what is blocked; what did not get its turn is not started (R6.2)', () => {
    const lines = [
      ...roleLines('argocd'),
      ...roleLines('argo-workflows').slice(0, 4),
      { event: 'task-failed', role: 'argo-workflows', phase: 'validate', task: 'Wait', message: 'no pod became ready' },
      { event: 'phase', role: 'argo-workflows', phase: 'rollback', task: 'Go back' },
      { event: 'role-result', role: 'argo-workflows', status: 'rolled_back', changed: true },
    ];
    const run = runOf(lines, { because: 'ended', code: 2, said: 'PLAY RECAP' });
    expect(run).toMatchObject({ outcome: 'failed', exitCode: 1 });
    expect(run.nodes.get('argo-workflows')).toMatchObject({
      state: 'failed',
      because: 'validate: Wait: no pod became ready; rolled back: what was there before is there again',
    });
    expect(run.nodes.get('argo-events')).toMatchObject({ state: 'blocked', blockedBy: ['argo-workflows'] });
    expect(run.nodes.get('gitops-handoff')?.state).toBe('pending');
    expect(toReport(run).failures).toMatchObject([
      { node: 'argo-workflows', name: 'Bootstrap failed', blocks: ['argo-events'] },
    ]);
  });

  it('believes a role’s own error before a task’s', () => {
    const run = runOf([{ event: 'role-result', role: 'argocd', status: 'failed', error: 'no rights' }], {
      ...well,
      code: 2,
    });
    expect(run.nodes.get('argocd')).toMatchObject({ state: 'failed', because: 'no rights' });
  });
});

describe('a playbook that ends in another way', () => {
  it('dies in a role without a word: the end of what it said is the reason', () => {
    const run = runOf(roleLines('argocd').slice(0, 3), { because: 'ended', code: undefined, said: 'Killed' });
    expect(run).toMatchObject({ outcome: 'failed', exitCode: 1 });
    expect(run.nodes.get('argocd')?.because).toBe(
      'ansible-playbook was ended by a signal during apply: Install the chart without a result: Killed',
    );
  });

  it('dies before the first role: whose turn it was fails with it', () => {
    const run = runOf([], { because: 'ended', code: 4, said: 'ERROR! the playbook could not be found' });
    expect(run.nodes.get('argocd')?.because).toBe(
      'ansible-playbook ended with code 4 before this role began: ERROR! the playbook could not be found',
    );
    expect(run.nodes.get('argo-events')?.state).toBe('blocked');
  });

  it('ends well without having said so of every role: that is no success (INV-4)', () => {
    const run = runOf(
      all.slice(0, 4).flatMap((role) => roleLines(role)),
      well,
    );
    expect(run).toMatchObject({ outcome: 'failed', exitCode: 1 });
    expect(run.nodes.get('gitops-handoff')?.state).toBe('failed');
  });

  it('ends badly after every role succeeded: that is no success either', () => {
    const run = runOf(
      all.flatMap((role) => roleLines(role)),
      { because: 'ended', code: 250, said: 'unexpected' },
    );
    expect(run).toMatchObject({ outcome: 'failed', exitCode: 1 });
    expect(run.warnings[0]?.message).toContain('every role succeeded, but ansible-playbook ended with code 250');
  });

  it('is interrupted: the report says what was going on', () => {
    const run = runOf(roleLines('argocd').slice(0, 4), { because: 'stopped', code: undefined, said: '' });
    expect(run).toMatchObject({ outcome: 'failed', exitCode: 1 });
    expect(run.interrupted).toBe(
      'stopped on request during argocd (validate: Wait until the API answers); Ansible and everything it had started was ended',
    );
    expect(run.nodes.get('argocd')?.because).toBe('interrupted during validate: Wait until the API answers');
    expect(run.nodes.get('argo-events')?.state).toBe('pending');
  });

  it('runs out of time: exit 4, and what it was busy with (R7.3)', () => {
    const run = runOf(roleLines('argocd').slice(0, 5), { because: 'deadline', code: undefined, said: '' });
    expect(run).toMatchObject({ outcome: 'timeout', exitCode: 4 });
    expect(run.nodes.get('argocd')).toMatchObject({
      timedOut: true,
      because: 'the time for the bootstrap was over during validate: Wait until the API answers (attempt 3 of 30)',
    });
  });
});
