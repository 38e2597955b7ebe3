import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Platform } from '../../../src/core/platform/platform.ts';
import { brokenEdges } from '../../../testbed/audit/broken-edges.ts';
import { wrongAfterDeploy } from '../../chaos/judge.ts';
import { findHelm, helm } from '../../charts/helm.ts';
import { publishLine } from '../line-platform.ts';
import { type Ended, freshTestbed, type RealBed } from '../testbed.ts';
import { eventually } from '../waiting.ts';
import { executorImage, executorImages } from './executor-images.ts';
import { type FollowedPods, followPods, type SeenPod } from './follow-pods.ts';
import { realNode } from './node-settings.ts';
import { insideVariable } from './own-namespaces.ts';
import { type RealNode, startRealNode } from './real-node.ts';

const inside = process.env[insideVariable];
const layout = process.env['TIPHYS_IMAGE'] ?? '';
const workflows = '/apis/argoproj.io/v1alpha1/namespaces/argo/workflows';

// Run by kubelet.test.ts, never by itself. One after the other: each begins where the one before has ended.
describe.runIf(inside !== undefined).sequential('on a node with a real kubelet and a real containerd', () => {
  let bed: RealBed;
  let node: RealNode;
  let pods: FollowedPods;

  beforeAll(async () => {
    bed = await freshTestbed('kubelet');
    const images = executorImages({ layout, argoexec: process.env['TIPHYS_ARGOEXEC'] ?? '' });
    node = await startRealNode(bed, join(inside ?? '', 'n'), images);
    await settleWorkflows();
    // The testbed brings this one for suites without a chart; helm takes nothing that others have made.
    await bed.client.delete('/apis/argoproj.io/v1alpha1/clusterworkflowtemplates/tiphys-sync-and-wait');
    install('--set', 'steps=pod');
  });

  beforeEach(async () => {
    pods = await followPods(bed, node.podLogs);
  });

  afterEach(async ({ task }) => {
    const seen = await pods.stop();
    process.stderr.write(`${task.name}\n${seen.map(lineOf).join('')}`);
    if (task.result?.state === 'fail')
      process.stderr.write(seen.map(({ step, log }) => `--- ${step}\n${log}`).join(''));
  });

  afterAll(async () => {
    await node?.stop();
    await bed?.close();
  });

  it('every step of a Workflow is a container of the executor’s own image, and the platform comes up (R4.2)', async () => {
    const { platform } = await bed.publish('platforms/hello');
    const { exitCode, report, err } = await deployed('platforms/hello');
    expect([exitCode, report.failures], err).toEqual([0, []]);
    const seen = await pods.stop();
    expect(seen.map(({ step }) => stepOf(step)).sort()).toEqual([
      ...['cert-manager', 'database', 'hand-over', 'ingress', 'web'],
    ]);
    for (const { node: where, account, exitCode: code } of seen)
      expect([where, account, code]).toEqual([realNode.name, 'tiphys-step', 0]);
    await wentRight(platform);
  });

  it('what the pods write is theirs to write: nothing was forbidden, and Argo’s own container could report', async () => {
    const own = (await bed.audit()).filter(({ user }) => user === 'system:serviceaccount:argo:tiphys-step');
    expect(own.filter(({ code }) => code === 403)).toEqual([]);
    const reported = own.filter(({ resource, verb }) => resource === 'workflowtaskresults' && verb === 'create');
    expect(reported).toHaveLength(5);
    expect(own.filter(({ resource }) => resource === 'applications').length).toBeGreaterThan(0);
  });

  it('a pod that is lost in the middle is replaced, and its successor goes on where it was (R5.5)', async () => {
    const line = await publishLine(bed, 'lost');
    const run = bed.start('deploy', line.folder, '--engine', 'argo-workflows', ...kubeconfig());
    const lost = await eventually(
      'the step of lost-two runs',
      async () => [...pods.seen.values()].find((pod) => stepOf(pod.step) === 'lost-two' && isAtWork(pod)),
      120_000,
    );
    await bed.client.delete(`/api/v1/namespaces/argo/pods/${lost.name}`, { gracePeriodSeconds: 0 });
    expect(await run.ended, run.said.err).toBe(0);
    const steps = (await pods.stop()).map(({ step }) => stepOf(step));
    expect(steps.filter((step) => step === 'lost-two')).toHaveLength(2);
    expect(steps.filter((step) => step === 'lost-one')).toHaveLength(1);
    await wentRight(line.platform);
  });

  it('an app that fails is told as any engine tells it, its step is not run again, its dependents are left out (R5.4)', async () => {
    const line = await publishLine(bed, 'broken', { faults: ['broken-two=sync-fails'] });
    const { exitCode, report, err } = await deployed(line.folder);
    expect(exitCode, err).toBe(2);
    const states = Object.fromEntries(report.nodes.map(({ name, state }) => [name, state]));
    expect([states[line.app('two')], states[line.app('three')]]).toEqual(['failed', 'blocked']);
    expect(JSON.stringify(report.failures)).toContain('refused on purpose');
    const steps = (await pods.stop()).map(({ step }) => stepOf(step));
    expect(steps.sort()).toEqual(['broken-aside', 'broken-one', 'broken-two', 'hand-over']);
  });

  it('a Workflow that is stopped by Ctrl-C stops its pods and hands over what is Healthy', async () => {
    const line = await publishLine(bed, 'stopped');
    const run = bed.start('deploy', line.folder, '--engine', 'argo-workflows', ...kubeconfig());
    await eventually(
      'the step of stopped-two runs',
      async () => [...pods.seen.values()].some((pod) => stepOf(pod.step) === 'stopped-two' && isAtWork(pod)),
      120_000,
    );
    run.child.kill('SIGINT');
    expect(await run.ended, run.said.err).toBe(1);
    const seen = await pods.stop();
    const steps = seen.map(({ step }) => stepOf(step)).sort();
    expect(steps).toEqual(['hand-over', 'stopped-aside', 'stopped-one', 'stopped-two']);
    const said = (step: string): string => seen.find((pod) => stepOf(pod.step) === step)?.log ?? '';
    expect(said('stopped-two')).toContain('stopped on request');
    expect(said('hand-over')).toContain('not everything is Healthy; what is not stays held');
    const applications = '/apis/argoproj.io/v1alpha1/namespaces/argocd/applications';
    const { items } = await bed.client.list<{ operation?: object }>(applications);
    expect(items.filter(({ operation }) => operation !== undefined)).toEqual([]);
  });

  it('the template tiphys-deploy brings a platform up by name: its pod plans and submits, pods do the steps', async () => {
    const line = await publishLine(bed, 'named');
    const folder = join(inside ?? '', 'named');
    mkdirSync(folder);
    const url = `file://${join(bed.state.folder, 'repo')}`;
    for (const file of ['dag.yaml', 'environment.yaml']) {
      const text = readFileSync(join(line.folder, file), 'utf8');
      writeFileSync(join(folder, file), text.replace(/^gitRepository: .*$/m, `gitRepository: ${url}`));
    }
    const files = ['dag', 'environment'].flatMap((one) => [
      '--set-file',
      `platforms.named.${one}=${join(folder, `${one}.yaml`)}`,
    ]);
    install('--set', 'steps=pod', ...files);
    expect(await submitted('tiphys-deploy', 'named')).toBe('Succeeded');
    expect(await submitted('tiphys-validate', 'named')).toBe('Succeeded');
    await wentRight(line.platform);
  });

  it('the agent of the chart is a Deployment that becomes ready, and does what a plan asks for without any pod more', async () => {
    const where = [
      ...['--set', `agent.replicas=1,agent.nodeSelector.testbed/kubelet=${realNode.value}`],
      ...['--set', `agent.tolerations[0].key=${realNode.label},agent.tolerations[0].operator=Exists`],
    ];
    install('--set', 'steps=agent', ...where);
    const deployment = '/apis/apps/v1/namespaces/argo/deployments/tiphys-agent';
    await eventually(
      'the agent is ready',
      async () =>
        (await bed.client.get<{ status: { readyReplicas?: number } }>(deployment))?.status.readyReplicas === 1,
      90_000,
    );
    const line = await publishLine(bed, 'agents');
    const { exitCode, err } = await deployed(line.folder);
    expect(exitCode, err).toBe(0);
    expect((await pods.stop()).filter(({ step }) => step.startsWith('agents-'))).toEqual([]);
    await wentRight(line.platform);
  });

  /** Sends Workflows' pods to the real node, never pulls Argo's own image, and refuses every pod that is not restricted. */
  async function settleWorkflows(): Promise<void> {
    const securityContext = {
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
      runAsNonRoot: true,
      runAsUser: 8737,
      seccompProfile: { type: 'RuntimeDefault' },
    };
    const toRealNode = {
      nodeSelector: { [realNode.label]: realNode.value },
      tolerations: [{ key: realNode.label, operator: 'Exists' }],
    };
    await bed.client.mergePatch('/api/v1/namespaces/argo/configmaps/workflow-controller-configmap', {
      data: {
        executor: JSON.stringify({ imagePullPolicy: 'IfNotPresent', securityContext }),
        workflowDefaults: JSON.stringify({ spec: toRealNode }),
      },
    });
    const log = join(bed.state.folder, 'log/workflow-controller.log');
    await eventually('the Workflows controller has heard of its settings', async () =>
      readFileSync(log, 'utf8').includes('config map update'),
    );
    await bed.client.mergePatch('/api/v1/namespaces/argo', {
      metadata: { labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
    });
  }

  function install(...flags: readonly string[]): void {
    const [, repository, tag] = /^(.*):([^:]+)$/.exec(executorImage(layout)) ?? [];
    const image = ['--set', `image.repository=${repository},image.tag=${tag}`];
    const order = ['upgrade', '--install', 'tiphys', 'charts/tiphys', '--namespace', 'argo'];
    helm(findHelm() ?? '', ...order, ...kubeconfig(), ...image, ...flags);
  }

  function kubeconfig(): string[] {
    return ['--kubeconfig', join(bed.state.folder, 'kubeconfig')];
  }

  function deployed(folder: string): Promise<Ended> {
    return bed.run('deploy', folder, '--engine', 'argo-workflows', ...kubeconfig());
  }

  /** Judged by the cluster: nothing before its turn, everything Healthy and released. */
  async function wentRight(platform: Platform): Promise<void> {
    expect(brokenEdges(platform, await bed.audit())).toEqual([]);
    expect(await wrongAfterDeploy({ client: bed.client, platform })).toEqual([]);
  }

  /** A Workflow made from the template, followed to its end. */
  async function submitted(template: string, platform: string): Promise<string> {
    const { metadata } = await bed.client.create<{ metadata: { name: string } }>(workflows, {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Workflow',
      metadata: { generateName: `${template}-` },
      spec: {
        workflowTemplateRef: { name: template, clusterScope: true },
        arguments: { parameters: [{ name: 'platform', value: platform }] },
      },
    });
    return eventually(
      `the Workflow ${metadata.name} has ended`,
      async () => {
        const found = await bed.client.get<{ status?: { phase?: string } }>(`${workflows}/${metadata.name}`);
        const { phase = '' } = found?.status ?? {};
        return ['Succeeded', 'Failed', 'Error'].includes(phase) && phase;
      },
      240_000,
    );
  }
});

/** `lost-x1.lost-two(1)` → `lost-two`; the hand-over stands in a list of its own. */
function stepOf(step: string): string {
  return (step.split('.').at(-1) ?? '').replace(/\(\d+\)$/, '');
}

function isAtWork({ after }: SeenPod): boolean {
  return after.running !== undefined && after.ended === undefined;
}

function lineOf({ step, phase, after }: SeenPod): string {
  const told = Object.entries(after).map(([what, seconds]) => `${what} ${seconds.toFixed(1)} s`);
  return `  ${step}: ${phase}, ${told.join(', ')}\n`;
}
