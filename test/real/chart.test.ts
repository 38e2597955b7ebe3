import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeKubeconfig } from '../../testbed/cluster/kubeconfigs.ts';
import { findHelm, helm } from '../charts/helm.ts';
import { executorBeside, type Running, startProgram } from './program.ts';
import { freshTestbed, type RealBed } from './testbed.ts';
import { eventually } from './waiting.ts';

const helmFolder = findHelm();
const why = helmFolder === undefined ? ' (skipped: helm is neither in TIPHYS_TESTBED_BIN nor in PATH)' : '';

// One after the other: each begins where the one before has ended.
describe.runIf(helmFolder !== undefined).sequential(`charts/tiphys on a real cluster${why}`, () => {
  let bed: RealBed;
  let config: string;
  let executor: string;
  const started: Running[] = [];

  beforeAll(async () => {
    bed = await freshTestbed('real-chart');
    const { url } = await bed.publish('platforms/hello');
    config = join(bed.state.folder, 'hello');
    mkdirSync(config, { recursive: true });
    const own = (text: string): string => text.replace(/^gitRepository: .*$/m, `gitRepository: ${url}`);
    for (const file of ['dag.yaml', 'environment.yaml'])
      writeFileSync(join(config, file), own(readFileSync(`platforms/hello/${file}`, 'utf8')));
    // The testbed brings this one for suites without a chart; helm takes nothing that others have made.
    await bed.client.delete('/apis/argoproj.io/v1alpha1/clusterworkflowtemplates/tiphys-sync-and-wait');
    executor = executorBeside(bed.program);
  }, 400_000);

  afterAll(async () => {
    for (const { child } of started) child.kill('SIGKILL');
    await bed?.close();
  });

  it('is installed by helm, which says what to type next', () => {
    expect(install('--set', 'steps=pod,teardown.enabled=true')).toContain(
      'tiphys deploy <folder> --engine argo-workflows',
    );
  });

  it('gives a step a pod of its own, whose rights are enough for it', async () => {
    const compiled = startProgram(bed.program, [
      'compile',
      config,
      '--kubeconfig',
      join(bed.state.folder, 'kubeconfig'),
      '-o',
      'json',
    ]);
    expect([await compiled.ended, compiled.said.err]).toEqual([0, expect.anything()]);
    const { metadata } = await bed.client.create<Named>(workflows, JSON.parse(compiled.said.out) as object);
    const pod = await podOf(metadata.name);
    expect(pod.spec.serviceAccountName).toBe('tiphys-step');
    expect(wordsOf(pod)).toEqual(expect.arrayContaining(['executor', 'step', `--workflow=${metadata.name}`]));
    expect(wordsOf(pod).filter((word) => word.includes('{{'))).toEqual([]);
    const [, ...words] = wordsOf(pod).map((word) => word.replace('=/tmp/', `=${bed.state.folder}/`));
    const step = start(executor, words, await kubeconfigOf('tiphys-step'));
    expect([await step.ended, step.said.err]).toEqual([0, expect.not.stringContaining('forbidden')]);
    await bed.client.delete(`${workflows}/${metadata.name}`);
    // Left for the next step's pod, which does not come.
    await bed.client.delete('/apis/coordination.k8s.io/v1/namespaces/argocd/leases/tiphys-hello');
  });

  it('brings a platform up by name: the template’s pod submits, the agent does the steps, each with its own rights', async () => {
    install('--set', 'steps=agent');
    const agent = start(executor, ['agent', '--namespace', 'argo'], await kubeconfigOf('tiphys-agent'));
    const { pod, said, exitCode } = await submitted('tiphys-deploy', { platform: 'hello' });
    expect([exitCode, said.err + agent.said.err]).toEqual([0, expect.not.stringContaining('forbidden')]);
    expect(pod.spec.serviceAccountName).toBe('tiphys-deploy');
    const { items } = await bed.client.list<{ status: { phase: string } } & Named>(workflows, {
      labelSelector: 'tiphys.dev/platform=hello',
    });
    expect(items.map(({ status }) => status.phase)).toEqual(['Succeeded']);
    agent.child.kill('SIGTERM');
    expect([await agent.ended, agent.said.err]).toEqual([0, expect.stringContaining('ended on request')]);
  });

  it('looks at it by name, as one who may only look', async () => {
    const { pod, said, exitCode } = await submitted('tiphys-validate', { platform: 'hello' });
    expect([pod.spec.serviceAccountName, exitCode, said.err]).toEqual(['tiphys-validate', 0, expect.anything()]);
  });

  it('takes it down by name only when the name is confirmed, and only where that was allowed', async () => {
    // Where it was not allowed there is nobody to do it as.
    const asked = await create('tiphys-teardown', { platform: 'hello', confirm: 'hello' });
    const path = `${workflows}/${asked.metadata.name}`;
    await eventually('its Workflow says for whom there is no pod', async () => {
      const nodes = Object.values((await bed.client.get<WorkflowStatus>(path))?.status?.nodes ?? {});
      return nodes.some(({ message = '' }) => /service account argo\/tiphys-teardown: .*not found/.test(message));
    });
    await bed.client.delete(path);
    expect(await applications()).toContain('web');
    install('--set', 'steps=agent,teardown.enabled=true');
    const unsure = await submitted('tiphys-deploy', { platform: 'hello', action: 'teardown' });
    expect([unsure.pod.spec.serviceAccountName, unsure.exitCode]).toEqual(['tiphys-teardown', 3]);
    const sure = await submitted('tiphys-teardown', { platform: 'hello', confirm: 'hello' });
    expect([sure.exitCode, sure.said.err]).toEqual([0, expect.not.stringContaining('forbidden')]);
    // What holds data stays unless it is asked for, and so do the parents.
    expect(await applications()).toEqual(['database', 'hello-base', 'hello-root', 'hello-shop']);
  });

  async function applications(): Promise<string[]> {
    const { items } = await bed.client.list<Named>('/apis/argoproj.io/v1alpha1/namespaces/argocd/applications');
    return items.map(({ metadata }) => metadata.name);
  }

  function install(...flags: readonly string[]): string {
    const files = ['dag', 'environment'].flatMap((one) => [
      '--set-file',
      `platforms.hello.${one}=${join(config, `${one}.yaml`)}`,
    ]);
    const where = ['--namespace', 'argo', '--kubeconfig', join(bed.state.folder, 'kubeconfig')];
    return helm(helmFolder ?? '', 'upgrade', '--install', 'tiphys', 'charts/tiphys', ...where, ...files, ...flags);
  }

  function start(program: string, words: readonly string[], kubeconfig: string): Running {
    const running = startProgram(program, [...words, '--kubeconfig', kubeconfig]);
    started.push(running);
    return running;
  }

  /** A Workflow made from the template. */
  function create(template: string, given: Readonly<Record<string, string>>): Promise<Named> {
    return bed.client.create<Named>(workflows, {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Workflow',
      metadata: { generateName: `${template}-` },
      spec: {
        workflowTemplateRef: { name: template, clusterScope: true },
        arguments: { parameters: Object.entries(given).map(([name, value]) => ({ name, value })) },
      },
    });
  }

  /** The same, and its pod's command run as the pod would run it: no kubelet does it here. */
  async function submitted(template: string, given: Readonly<Record<string, string>>) {
    const { metadata } = await create(template, given);
    const pod = await podOf(metadata.name);
    const folder = await mounted(pod);
    const [, ...words] = wordsOf(pod).map((word) => (word === '/config' ? folder : word));
    const confirm = variable(pod, 'CONFIRM');
    const extra = confirm === '' ? [] : ['--confirm', confirm];
    const running = start(executor, [...words, ...extra], await kubeconfigOf(pod.spec.serviceAccountName));
    const exitCode = await running.ended;
    await bed.client.delete(`${workflows}/${metadata.name}`);
    return { pod, exitCode, said: running.said };
  }

  function podOf(workflow: string): Promise<Pod> {
    return eventually(`Workflow ${workflow} has a pod`, async () => {
      const query = { labelSelector: `workflows.argoproj.io/workflow=${workflow}` };
      return (await bed.client.list<Pod>('/api/v1/namespaces/argo/pods', query)).items[0];
    });
  }

  /** The ConfigMap at /config. */
  async function mounted({ metadata, spec }: Pod): Promise<string> {
    const name = spec.volumes.find((volume) => volume.name === 'config')?.configMap?.name;
    const map = await bed.client.get<{ data: Record<string, string> }>(`/api/v1/namespaces/argo/configmaps/${name}`);
    const folder = join(bed.state.folder, 'mounted', metadata.name);
    mkdirSync(folder, { recursive: true });
    for (const [file, text] of Object.entries(map?.data ?? {})) writeFileSync(join(folder, file), text);
    return folder;
  }

  async function kubeconfigOf(account: string): Promise<string> {
    const { status } = await bed.client.create<{ status: { token: string } }>(
      `/api/v1/namespaces/argo/serviceaccounts/${account}/token`,
      { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 7200 } },
    );
    const file = join(bed.state.folder, `chart-${account}.kubeconfig`);
    writeKubeconfig(file, bed.state, { token: status.token });
    return file;
  }
});

const workflows = '/apis/argoproj.io/v1alpha1/namespaces/argo/workflows';

interface Named {
  readonly metadata: { readonly name: string };
}

interface WorkflowStatus {
  readonly status?: { readonly nodes?: Readonly<Record<string, { readonly message?: string }>> };
}

interface Container {
  readonly name: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
}

interface Pod extends Named {
  readonly spec: {
    readonly serviceAccountName: string;
    readonly containers: readonly Container[];
    readonly volumes: readonly { readonly name: string; readonly configMap?: { readonly name: string } }[];
  };
}

/** What comes after the `--` of Argo's own starter. */
function wordsOf(pod: Pod): string[] {
  const { command = [], args = [] } = mainOf(pod);
  return [...command.slice(command.indexOf('--') + 1), ...args];
}

function variable(pod: Pod, name: string): string {
  return mainOf(pod).env?.find((one) => one.name === name)?.value ?? '';
}

function mainOf({ spec }: Pod): Container {
  const main = spec.containers.find(({ name }) => name === 'main');
  if (main === undefined) throw new Error('a pod of a Workflow has a container `main`');
  return main;
}
