import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { writeKubeconfig } from '../../../testbed/cluster/kubeconfigs.ts';
import type { TestbedState } from '../../../testbed/cluster/state.ts';
import type { RealBed } from '../testbed.ts';
import { eventually } from '../waiting.ts';
import { importImages, type WriteImages } from './node-images.ts';
import { type NodeFolder, realNode, writeNodeSettings } from './node-settings.ts';
import { apiServiceAddress, nodeAddress } from './own-namespaces.ts';
import { findNetworkPlugins, programOf } from './programs.ts';

const run = promisify(execFile);

/** A node of the testbed with a real kubelet and a real containerd: what runs there are containers. */
export interface RealNode {
  /** By pod and container, what they have said. */
  readonly podLogs: string;
  /** The ids of all containers that run, those that hold a pod's network included. */
  running(): Promise<string[]>;
  stop(): Promise<void>;
}

/** Starts the node beside the testbed. Only inside of namespaces that are our own. */
export async function startRealNode(
  { state, client }: Pick<RealBed, 'state' | 'client'>,
  root: string,
  images: WriteImages,
): Promise<RealNode> {
  mkdirSync(root, { recursive: true });
  const authority = join(state.folder, 'pki/ca.crt');
  const folder = writeNodeSettings(root, { cni: findNetworkPlugins() ?? '/usr/lib/cni', authority });
  const containerd = startLogged(folder, 'containerd', ['--config', folder.containerdConfig]);
  const ctr = [programOf('ctr'), '--address', folder.socket, '--namespace', 'k8s.io'];
  await eventually('containerd answers', () => answers(containerd, [...ctr, 'version']), patienceMs);
  await importImages(folder.of('images'), images, ctr);
  const service = await serveApi(state.ports.api);
  const kubelet = startLogged(folder, 'kubelet', kubeletFlags(folder, await giveIdentity(state, folder)));
  const isReady = async (): Promise<boolean> => {
    mustRun(kubelet);
    const node = await client.get<Node>(`/api/v1/nodes/${realNode.name}`);
    return node?.status.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;
  };
  await eventually(`${realNode.name} is Ready`, isReady, patienceMs);
  return {
    podLogs: folder.podLogs,
    async running() {
      const [command = '', ...words] = ctr;
      const { stdout } = await run(command, [...words, 'tasks', 'list', '--quiet'], { timeout: 5_000 });
      return stdout.split('\n').filter(Boolean);
    },
    async stop() {
      service.close();
      for (const { child } of [kubelet, containerd]) await end(child);
    },
  };
}

const patienceMs = 120_000;

interface Node {
  readonly status: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

interface Started {
  readonly child: ChildProcess;
  readonly log: string;
}

function startLogged({ of, root }: NodeFolder, name: string, args: readonly string[]): Started {
  const log = of(`${name}.log`);
  const file = openSync(log, 'a', 0o600);
  try {
    const path = [...['containerd', 'runc'].map((one) => dirname(programOf(one))), process.env['PATH']].join(':');
    const env = { PATH: path, HOME: root };
    return { child: spawn(programOf(name), args, { cwd: root, env, stdio: ['ignore', file, file] }), log };
  } finally {
    closeSync(file);
  }
}

function mustRun({ child, log }: Started): void {
  if (child.exitCode === null) return;
  const tail = readFileSync(log, 'utf8').trimEnd().split('\n').slice(-15).join('\n');
  throw new Error(`${child.spawnfile} ended with ${child.exitCode}:\n${tail}`);
}

async function answers(started: Started, [command = '', ...words]: readonly string[]): Promise<boolean> {
  mustRun(started);
  try {
    await run(command, words, { timeout: 5_000 });
    return true;
  } catch {
    return false;
  }
}

/** Signed by the testbed's authority, so that the API server knows it as this node and lets it do what nodes may. */
async function giveIdentity(state: TestbedState, { of }: NodeFolder): Promise<string> {
  const [key, request, certificate] = [of('node.key'), of('node.csr'), of('node.crt')];
  const pki = (file: string): string => join(state.folder, 'pki', file);
  const subject = `/O=system:nodes/CN=system:node:${realNode.name}`;
  const made = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', key];
  await run('openssl', ['req', '-new', ...made, '-subj', subject, '-out', request]);
  writeFileSync(of('node.ext'), 'extendedKeyUsage=clientAuth\n');
  const signed = ['-CA', pki('ca.crt'), '-CAkey', pki('ca.key'), '-set_serial', '0x6e6f6465', '-days', '7'];
  const words = ['x509', '-req', '-in', request, ...signed, '-extfile', of('node.ext'), '-out', certificate];
  await run('openssl', words);
  writeKubeconfig(of('kubeconfig'), state, { 'client-certificate': certificate, 'client-key': key });
  return of('kubeconfig');
}

function kubeletFlags({ of, kubeletConfig }: NodeFolder, kubeconfig: string): string[] {
  const flags = {
    config: kubeletConfig,
    kubeconfig,
    'hostname-override': realNode.name,
    'node-ip': nodeAddress,
    'root-dir': of('kubelet'),
    'cert-dir': of('kubelet-pki'),
    'node-labels': `${realNode.label}=${realNode.value}`,
  };
  return Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
}

/** The Service `kubernetes`, which is all that pods ask for: one address, passed on. Saves a kube-proxy. */
async function serveApi(port: number): Promise<Server> {
  const server = createServer((pod) => {
    const api = connect(port, '127.0.0.1');
    pod.pipe(api).pipe(pod);
    pod.on('error', () => api.destroy());
    api.on('error', () => pod.destroy());
  });
  await new Promise<void>((resolve, reject) =>
    server.once('error', reject).listen(443, apiServiceAddress, () => resolve()),
  );
  return server;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = once(child, 'close');
  child.kill('SIGTERM');
  const impatience = setTimeout(() => child.kill('SIGKILL'), 10_000);
  await ended;
  clearTimeout(impatience);
}
