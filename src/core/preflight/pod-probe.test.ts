import { describe, expect, it } from 'vitest';
import { isOver, judgeProbe, probePod } from './pod-probe.ts';

const probed = [
  { about: 'registry quay.io', url: 'https://quay.io/v2/' },
  { about: 'Git repository', url: 'https://git.example.com/p.git/info/refs' },
];

describe('the look from inside the cluster', () => {
  it('is a Pod that may do nothing and ends by itself', () => {
    expect(probePod({ name: 'n', namespace: 'ns', image: 'i', urls: ['https://quay.io/v2/'] })).toMatchObject({
      metadata: { labels: { 'app.kubernetes.io/managed-by': 'tiphys' } },
      spec: {
        restartPolicy: 'Never',
        activeDeadlineSeconds: 100,
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true },
        containers: [{ securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } } }],
      },
    });
  });

  it('tells of each address what the Pod has seen', () => {
    const status = {
      phase: 'Succeeded',
      containerStatuses: [{ state: { terminated: { message: '2 000\n1 401\n' } } }],
    };
    expect(judgeProbe(status, probed, 'i').map(({ verdict, endpoint }) => [verdict, endpoint?.from])).toEqual([
      ['pass', 'cluster'],
      ['fail', 'cluster'],
    ]);
  });

  it('says when the image cannot be pulled, which is an answer too', () => {
    const waiting = { reason: 'ImagePullBackOff', message: 'Back-off pulling image "i"' };
    const status = { phase: 'Pending', containerStatuses: [{ state: { waiting } }] };
    expect(isOver(status)).toBe(true);
    expect(judgeProbe(status, probed, 'i')).toMatchObject([
      { verdict: 'fail', fix: expect.stringContaining('preflight.image') },
    ]);
  });

  it('is not looked at when the Pod has told nothing', () => {
    const conditions = [{ type: 'PodScheduled', status: 'False', message: '0/3 nodes are available' }];
    expect(judgeProbe({ phase: 'Pending', conditions }, probed, 'i')).toMatchObject([
      { verdict: 'warn', looked: false, saw: expect.stringContaining('0/3 nodes are available') },
    ]);
    expect(isOver({ phase: 'Pending', conditions })).toBe(false);
  });
});
