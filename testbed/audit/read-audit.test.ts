import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { recorded } from './audit.fixture.ts';
import { creations } from './creations.ts';
import { healthMoments } from './health-moments.ts';
import { operations } from './operations.ts';
import { readAudit } from './read-audit.ts';
import { writesOf } from './writes-of.ts';

const folder = mkdtempSync(join(tmpdir(), 'audit-'));
afterAll(() => rmSync(folder, { recursive: true }));

const apply = {
  kind: 'Event',
  stage: 'ResponseComplete',
  requestURI: '/apis/apps/v1/namespaces/web/deployments/web?fieldManager=argocd-controller',
  verb: 'patch',
  user: { username: 'system:argocd', groups: ['system:authenticated'] },
  objectRef: { resource: 'deployments', namespace: 'web', name: 'web', apiGroup: 'apps', apiVersion: 'v1' },
  responseStatus: { metadata: {}, code: 201 },
  responseObject: {
    kind: 'Deployment',
    metadata: {
      name: 'web',
      resourceVersion: '7',
      annotations: { 'argocd.argoproj.io/tracking-id': 'shop:apps/Deployment:web/web' },
    },
  },
  requestReceivedTimestamp: '2026-01-01T00:00:01.000000Z',
  stageTimestamp: '2026-01-01T00:00:01.250000Z',
};
const lease = {
  ...apply,
  verb: 'create',
  user: { username: 'system:serviceaccount:argocd:tiphys-deploy' },
  requestURI: '/apis/coordination.k8s.io/v1/namespaces/argocd/leases',
  objectRef: { resource: 'leases', namespace: 'argocd', apiGroup: 'coordination.k8s.io' },
  responseObject: undefined,
  requestReceivedTimestamp: '2026-01-01T00:00:02.000000Z',
};
const trial = { ...apply, requestURI: `${apply.requestURI}&dryRun=All` };

describe('the audit log', () => {
  const file = join(folder, 'audit.log');
  const lines = [apply, trial, lease, { ...apply, stage: 'RequestReceived' }].map(
    (line) => `${JSON.stringify(line)}\n`,
  );
  writeFileSync(file, `${lines.join('')}{"kind":"Event","half":`);

  it('is read up to a last line that is only half written', () => {
    expect(readAudit(file).map(({ verb, resource, isTrial }) => [verb, resource, isTrial])).toEqual([
      ['patch', 'deployments', false],
      ['patch', 'deployments', true],
      ['create', 'leases', false],
    ]);
  });

  it('is read whole when it is longer than what is read at once', () => {
    const long = join(folder, 'long.log');
    const words = 'ä'.repeat(700);
    const names = Array.from({ length: 3_000 }, (_, index) => `${index} ${words}`);
    const entries = names.map((name) => `${JSON.stringify({ ...lease, objectRef: { ...lease.objectRef, name } })}\n`);
    writeFileSync(long, entries.join(''));
    expect(readAudit(long).map(({ name }) => name)).toEqual(names);
  });

  it('tells also what was refused to somebody without a name', () => {
    const nameless = join(folder, 'nameless.log');
    writeFileSync(nameless, `${JSON.stringify({ ...lease, user: {}, responseStatus: { code: 401 } })}\n`);
    expect(readAudit(nameless)).toMatchObject([{ user: '', resource: 'leases', code: 401 }]);
  });

  it('can be read from a moment on', () => {
    expect(readAudit(file, Date.parse('2026-01-01T00:00:02Z')).map(({ resource }) => resource)).toEqual(['leases']);
  });

  it('tells what Argo CD has created and for whom, and leaves out what it only tried', () => {
    expect(creations(readAudit(file))).toEqual([
      {
        application: 'shop',
        kind: 'Deployment',
        name: 'web',
        key: 'deployments.apps web/web',
        revision: 7,
        at: Date.parse('2026-01-01T00:00:01Z'),
      },
    ]);
  });

  it('tells the writes of one identity, and which are its Lease', () => {
    const ours = writesOf(readAudit(file), 'system:serviceaccount:argocd:tiphys-deploy');
    expect(ours.map(({ verb, key, isLease }) => [verb, key, isLease])).toEqual([
      ['create', 'leases.coordination.k8s.io argocd/', true],
    ]);
  });
});

describe('the records of Applications', () => {
  const running = {
    operationState: {
      phase: 'Running',
      startedAt: '2026-01-01T00:00:00Z',
      operation: { initiatedBy: { automated: true } },
    },
  };
  const entries = [
    recorded(3, 'web', ['Synced', 'Progressing'], running),
    recorded(1, 'web', ['OutOfSync', 'Missing']),
    recorded(2, 'web', ['OutOfSync', 'Missing'], running),
    recorded(4, 'web', ['Synced', 'Healthy'], running),
  ];

  it('tell when one became Synced and Healthy, each change once', () => {
    expect(
      healthMoments(entries)
        .get('web')
        ?.map(({ revision, isGood }) => [revision, isGood]),
    ).toEqual([
      [1, false],
      [3, false],
      [4, true],
    ]);
  });

  it('tell each operation once, and who started it', () => {
    expect(operations(entries)).toEqual([
      { application: 'web', startedAt: '2026-01-01T00:00:00Z', automated: true, by: '' },
    ]);
  });
});
