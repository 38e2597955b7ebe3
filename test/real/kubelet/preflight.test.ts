import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditEntry } from '../../../testbed/audit/read-audit.ts';
import { kubeconfigOf } from '../../../testbed/cluster/kubeconfigs.ts';
import { type PreflightBed, preflightBed } from '../preflight-bed.ts';
import { buildProgram, startProgram } from '../program.ts';
import { eventually } from '../waiting.ts';
import { type AnsweringServers, answeringServers } from './answering-servers.ts';
import { realNode } from './node-settings.ts';
import { insideVariable, nodeAddress } from './own-namespaces.ts';
import { probeImage, probeImages } from './probe-images.ts';
import { type RealNode, startRealNode } from './real-node.ts';

const inside = process.env[insideVariable] ?? '';
const namespace = 'probed';
const pods = `/api/v1/namespaces/${namespace}/pods`;
const nobody = `${nodeAddress}:1`;

// Run by kubelet.test.ts, never by itself. One after the other: each looks at what the log says of its own time.
describe.runIf(inside !== '').sequential('preflight --from-cluster on a node with a real kubelet', () => {
  let bed: PreflightBed;
  let node: RealNode;
  let servers: AnsweringServers;

  beforeAll(async () => {
    bed = await preflightBed('kubelet');
    node = await startRealNode(bed, join(inside, 'n'), probeImages(join(inside, 'roots')));
    servers = await answeringServers(nodeAddress);
    await sendPodsToRealNode();
    await bed.client.create('/api/v1/namespaces', {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: namespace, labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
    });
  });

  afterAll(async () => {
    await node?.stop();
    servers?.close();
    await bed?.close();
  });

  it('an image with curl tells who answers, who does not, and of Git over SSH that its port is open (R3.4)', async () => {
    const { http, https, ssh, silent } = servers;
    const { seen } = await look(probeImage.curl, `ssh://git@${ssh}/p.git`, {
      registries: [`http://${http}`, `https://${https}`],
      endpoints: [`http://${http}/503`, `http://${nobody}`, `http://${silent}`, 'http://nobody.invalid'],
    });
    expect(seen).toEqual([
      ['pass', 'Git repository', `${ssh} takes connections inside the cluster`],
      ['pass', `registry ${http}`, `${http} answered 401 inside the cluster`],
      ['pass', `registry ${https}`, `${https} answered 401 inside the cluster`],
      ['warn', http, `${http} answered 503 inside the cluster`],
      ...[nobody, silent, 'nobody.invalid'].map((place) => [
        'fail',
        place,
        `${place} does not answer inside the cluster`,
      ]),
    ]);
  });

  it('a port where nobody listens is not open', async () => {
    const { findings } = await look(probeImage.curl, `ssh://git@${nobody}/p.git`);
    expect(findings[0]).toMatchObject({ verdict: 'fail', saw: `${nobody} does not answer inside the cluster` });
  });

  it('an image with nothing but busybox tells the same, though its wget has neither patience nor all of TLS', async () => {
    const { http, https, silent } = servers;
    const { seen, findings } = await look(probeImage.wget, `http://${http}/p.git`, {
      registries: [`http://${http}`, `https://${https}`],
      endpoints: [`http://${http}/503`, `http://${nobody}`, `http://${silent}`, 'http://nobody.invalid'],
    });
    expect(seen).toEqual([
      ['pass', 'Git repository', `${http} answered 200 inside the cluster`],
      ['pass', `registry ${http}`, `${http} answered 401 inside the cluster`],
      ['warn', http, `${http} answered 503 inside the cluster`],
      ...[nobody, silent, 'nobody.invalid'].map((place) => [
        'fail',
        place,
        `${place} does not answer inside the cluster`,
      ]),
    ]);
    expect(findings.find(({ about }) => about === `registry ${https}`)).toMatchObject({
      looked: false,
      saw: `not looked at: ${probeImage.wget} has no curl and no wget that can ask it`,
    });
  });

  it('says when all are silent, also to a wget that would wait for ever; and what takes curl was not looked at', async () => {
    const { ssh, silent } = servers;
    const { seen } = await look(probeImage.wget, `http://${silent}/p.git`, { registries: [`http://${silent}`] });
    const saw = `${silent} does not answer inside the cluster`;
    expect(seen).toEqual(['Git repository', `registry ${silent}`].map((about) => ['fail', about, saw]));
    const { findings } = await look(probeImage.wget, `ssh://git@${ssh}/p.git`);
    expect(findings[0]).toMatchObject({
      looked: false,
      saw: `not looked at: ${probeImage.wget} has no curl, which it takes to try a port`,
    });
  });

  it('an image that cannot be pulled is a finding, in the words of the node', async () => {
    const image = `${nobody}/none:1`;
    const { findings } = await look(image, `http://${servers.http}/p.git`);
    expect(findings[0]).toMatchObject({
      verdict: 'fail',
      saw: expect.stringMatching(/^the cluster cannot start \S+none:1: (ErrImagePull|ImagePullBackOff) .*refused/),
      fix: expect.stringContaining('Nodes cannot pull this image.'),
    });
  });

  it('an image without a shell has looked at nothing, and the node’s reason is repeated', async () => {
    const { findings } = await look(probeImage.noShell, `http://${servers.http}/p.git`);
    expect(findings[0]).toMatchObject({
      looked: false,
      saw: expect.stringMatching(
        /is Failed and has told nothing \(StartError: .*exec: "sh": executable file not found/,
      ),
      fix: expect.stringContaining('must have a shell'),
    });
  });

  it('after Ctrl-C in the middle of it the Pod is gone, and the node ends its containers', async () => {
    // Leaves its order in environment.yaml, for the next one.
    await look(probeImage.wget, `http://${servers.http}/p.git`);
    const order = ['--kubeconfig', kubeconfigOf(bed.state, 'admin'), ...wordsFor(`http://${servers.silent}/p.git`)];
    const run = startProgram(await buildProgram('kubelet'), ['preflight', join(bed.folder, 'platform'), ...order]);
    await eventually('its container runs', async () => {
      const { items } = await bed.client.list<Pod>(pods);
      return items.some(({ status }) => status.containerStatuses?.[0]?.state.running !== undefined);
    });
    run.child.kill('SIGINT');
    expect(await run.ended, run.said.err).toBe(1);
    expect((await bed.client.list(pods)).items).toEqual([]);
    await eventually('containerd runs nothing any more', async () => (await node.running()).length === 0);
  });

  /** The nodes that are played would run nothing. */
  async function sendPodsToRealNode(): Promise<void> {
    const { items } = await bed.client.list<{ metadata: { name: string } }>('/api/v1/nodes');
    for (const { metadata } of items) {
      const taints = metadata.name === realNode.name ? [] : [{ key: realNode.label, effect: 'NoSchedule' }];
      await bed.client.mergePatch(`/api/v1/nodes/${metadata.name}`, { spec: { taints } });
    }
  }

  /** What it found from inside, after it was made sure that it has left nothing and written nothing but its Pod. */
  async function look(image: string, git: string, { registries = [`http://${nobody}`], endpoints = [] }: Asked = {}) {
    const section = JSON.stringify({ image, registries, endpoints });
    const { report, check, written } = await bed.look({ section, words: wordsFor(git) });
    const findings = check('from-cluster')?.findings ?? [];
    const [, name] = /^probed\/(\S+) was made for this look, and removed$/.exec(findings.at(-1)?.saw ?? '') ?? [];
    const own = (written as readonly AuditEntry[]).filter(({ user }) => user !== `system:node:${realNode.name}`);
    expect(own.map((one) => [one.verb, one.user, one.resource, one.namespace, one.name])).toEqual([
      ['create', 'testbed-admin', 'pods', namespace, name],
      ['delete', 'testbed-admin', 'pods', namespace, name],
    ]);
    expect((await bed.client.list(pods)).items).toEqual([]);
    const inCluster = report.connectivity.filter(({ from }) => from === 'cluster');
    return { findings, seen: inCluster.map(({ verdict, about, saw }) => [verdict, about, saw]) };
  }

  function wordsFor(git: string): string[] {
    return ['--charts', bed.state.charts ?? '', '--git-repository', git, '--from-cluster', namespace];
  }
});

interface Asked {
  readonly registries?: readonly string[];
  readonly endpoints?: readonly string[];
}

interface Pod {
  readonly status: { readonly containerStatuses?: readonly { readonly state: { readonly running?: object } }[] };
}
