import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { nodeAddress } from './own-namespaces.ts';

/** Only pods that ask for it land here; kwok has all others. */
export const realNode = { name: 'real-node', label: 'testbed/kubelet', value: 'real' } as const;

/** Of a sandbox: it holds a pod's network and does nothing. */
export const pauseImage = 'localhost/pause:1';

/** Everything that containerd and the kubelet keep is below one folder. */
export interface NodeFolder {
  readonly containerdConfig: string;
  readonly kubeletConfig: string;
  readonly socket: string;
  /** By pod and container, what they have said. */
  readonly podLogs: string;
  readonly root: string;
  of(name: string): string;
}

export function writeNodeSettings(root: string, { cni, authority }: { cni: string; authority: string }): NodeFolder {
  const of = (name: string): string => join(root, name);
  const folder: NodeFolder = {
    root,
    of,
    containerdConfig: of('containerd.toml'),
    kubeletConfig: of('kubelet.yaml'),
    socket: of('c.sock'),
    podLogs: of('pod-logs'),
  };
  for (const name of ['cni', 'pod-logs', 'kubelet', 'kubelet-pki', 'volume-plugins']) {
    mkdirSync(of(name), { recursive: true, mode: 0o755 });
  }
  writeFileSync(folder.containerdConfig, containerdConfig(folder, cni));
  writeFileSync(folder.kubeletConfig, stringify(kubeletConfig(folder, authority)));
  writeFileSync(of('cni/10-pods.conflist'), JSON.stringify(podNetwork));
  return folder;
}

/** Settings that an unprivileged machine needs: no score below its own can be given to anybody, and there is no systemd to ask. */
function containerdConfig({ of, socket }: NodeFolder, cni: string): string {
  const cri = 'plugins."io.containerd.grpc.v1.cri"';
  return `version = 2
root = "${of('containerd')}"
state = "${of('containerd-state')}"
[grpc]
  address = "${socket}"
[ttrpc]
  address = "${socket}.ttrpc"
[plugins."io.containerd.internal.v1.opt"]
  path = "${of('opt')}"
[${cri}]
  sandbox_image = "${pauseImage}"
  restrict_oom_score_adj = true
  disable_apparmor = true
  [${cri}.cni]
    bin_dir = "${cni}"
    conf_dir = "${of('cni')}"
  [${cri}.containerd]
    default_runtime_name = "runc"
    [${cri}.containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
      [${cri}.containerd.runtimes.runc.options]
        SystemdCgroup = false
`;
}

/** A bridge without a way out: pods reach this node and nobody else. */
const podNetwork = {
  cniVersion: '0.4.0',
  name: 'pods',
  plugins: [
    {
      type: 'bridge',
      bridge: 'pods0',
      isGateway: true,
      ipam: {
        type: 'host-local',
        ranges: [[{ subnet: '10.88.0.0/24' }]],
        routes: [{ dst: '0.0.0.0/0' }],
      },
    },
  ],
};

function kubeletConfig({ of, socket, podLogs }: NodeFolder, authority: string): object {
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    address: nodeAddress,
    authentication: { x509: { clientCAFile: authority } },
    containerRuntimeEndpoint: `unix://${socket}`,
    podLogsDir: podLogs,
    volumePluginDir: of('volume-plugins'),
    registerWithTaints: [{ key: realNode.label, value: realNode.value, effect: 'NoSchedule' }],
    cgroupDriver: 'cgroupfs',
    failCgroupV1: false,
    failSwapOn: false,
    // What a machine without the right to raise limits can give.
    oomScoreAdj: 0,
    maxOpenFiles: 20_000,
    evictionHard: { 'memory.available': '50Mi', 'nodefs.available': '1%', 'imagefs.available': '1%' },
  };
}
