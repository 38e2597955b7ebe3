import { describe, expect, it } from 'vitest';
import { chartAddress, endpointAddress, gitAddress } from './addresses.ts';
import { isOver, isProbe, judgeProbe, probedAddresses, probePod } from './pod-probe.ts';

const probed = [
  { about: 'registry quay.io', url: 'https://quay.io/v2/', address: 'https://quay.io/v2/' },
  { about: 'Git repository', url: 'telnet://git.example.com:22', address: 'git.example.com:22' },
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

  it('is known by its labels, so that it is no part of what it sees', () => {
    const { metadata } = probePod({ name: 'n', namespace: 'ns', image: 'i', urls: [] }) as {
      metadata: { labels: Record<string, string> };
    };
    expect([metadata.labels, { 'app.kubernetes.io/managed-by': 'tiphys' }, undefined].map(isProbe)).toEqual([
      ...[true, false, false],
    ]);
  });

  it('asks each address once: HTTP by its URL, SSH by its port, no folder of this machine', () => {
    const charts = chartAddress('https://charts.example.com');
    const git = ['ssh://git@[::1]:2222/p.git', 'git@git.example.com:p.git', '/srv/git/p'].map(gitAddress);
    const asked = probedAddresses([...git, charts, charts, endpointAddress('https://vault.example.com')]);
    expect(asked.map(({ about, url, address }) => [about, url, address])).toEqual([
      ['Git repository', 'telnet://[::1]:2222', '::1:2222'],
      ['Git repository', 'telnet://git.example.com:22', 'git.example.com:22'],
      ['charts at charts.example.com', ...Array(2).fill('https://charts.example.com/index.yaml')],
      ['vault.example.com', ...Array(2).fill('https://vault.example.com')],
    ]);
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
    expect(judgeProbe(ended('1 503\n2 open\n'), probed, 'i').map(({ verdict, saw }) => [verdict, saw])).toEqual([
      ['warn', 'quay.io answered 503 inside the cluster'],
      ['pass', 'git.example.com:22 takes connections inside the cluster'],
    ]);
  });

  it('believes the first answer: at its end the Pod calls everybody silent who has told nothing', () => {
    const verdicts = judgeProbe(ended('1 401\n1 000\n2 000\n'), probed, 'i').map(({ verdict }) => verdict);
    expect(verdicts).toEqual(['pass', 'fail']);
  });

  it('is told to a node so that it changes nothing in it: `$$` and `$(name)` mean something to a kubelet', () => {
    const { spec } = probePod({ name: 'n', namespace: 'ns', image: 'i', urls: ['http://h/$(HOME)'] }) as {
      spec: { containers: { command: string[] }[] };
    };
    const [, , script = '', , url] = spec.containers[0]?.command ?? [];
    expect(url).toBe('http://h/$$(HOME)');
    expect(script.replaceAll('$$', '')).not.toContain('$');
  });

  it('calls nothing out of reach that the image has no program for', () => {
    expect(judgeProbe(ended('1 ---\n2 ---\n'), probed, 'i')).toMatchObject([
      { verdict: 'warn', looked: false, saw: 'not looked at: i has no curl and no wget that can ask it' },
      { verdict: 'warn', looked: false, saw: 'not looked at: i has no curl, which it takes to try a port' },
    ]);
  });

  it('repeats what the node says of a container that did not run, or not yet', () => {
    const terminated = { reason: 'StartError', message: 'exec: "sh": executable file not found in $PATH' };
    const failed = { phase: 'Failed', containerStatuses: [{ state: { terminated } }] };
    const creating = { phase: 'Pending', containerStatuses: [{ state: { waiting: { reason: 'ContainerCreating' } } }] };
    const complaint = 'Failed to create pod sandbox: no network plugin';
    expect(isOver(creating)).toBe(false);
    for (const [end, words] of [
      [failed, 'StartError: exec: "sh": executable file not found'],
      [{ ...creating, complaint }, `ContainerCreating: ${complaint}`],
    ] as const)
      expect(judgeProbe(end, probed, 'i')).toMatchObject([
        {
          verdict: 'warn',
          looked: false,
          saw: expect.stringContaining(words),
          fix: expect.stringContaining('a shell'),
        },
      ]);
    const waiting = { reason: 'CreateContainerConfigError', message: 'image will run as root' };
    expect(judgeProbe({ phase: 'Pending', containerStatuses: [{ state: { waiting } }] }, probed, 'i')).toMatchObject([
      {
        verdict: 'fail',
        saw: expect.stringContaining('will run as root'),
        fix: expect.stringContaining('The node has'),
      },
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

/** A Pod that has told this. */
function ended(message: string) {
  return { phase: 'Succeeded', containerStatuses: [{ state: { terminated: { message } } }] };
}
