import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../waiting.ts';

/** Set for whoever runs inside, to the folder that is theirs. */
export const insideVariable = 'TIPHYS_KUBELET_INSIDE';

/** The node's address: a kubelet takes none of 127.0.0.0/8. */
export const nodeAddress = '10.200.0.1';

/** Where pods look for the API server: the first address of the testbed's Services. */
export const apiServiceAddress = '10.96.0.1';

/**
 * Runs a test file in network, mount and process namespaces of its own. No packet leaves them, what a kubelet mounts, forwards and
 * forks ends with them, and nothing of this machine's own settings is changed. Answers its exit code.
 */
export async function runApart(file: string, folder: string): Promise<number> {
  const apart = ['--net', '--mount', '--pid', '--fork', '--mount-proc', '--kill-child'];
  const words = [...apart, 'sh', '-c', prelude, 'apart', folder, process.execPath, '-e', vitest(file)];
  const env = { ...process.env, [insideVariable]: folder, TIPHYS_TESTBED_HOME: join(folder, 'b') };
  mkdirSync(env.TIPHYS_TESTBED_HOME, { recursive: true });
  const child = spawn('unshare', words, { env, stdio: ['ignore', 'inherit', 'inherit'] });
  try {
    const [code] = await once(child, 'close');
    return code ?? 137;
  } finally {
    await eventually('the control groups of the kubelet can be removed', removeControlGroups);
  }
}

/** A shell stays the first process: it waits for whatever loses its parent. */
const prelude = `
set -e
folder=$1
shift
ip link set lo up
ip link add node0 type veth peer name wire0
ip address add ${nodeAddress}/24 dev node0
ip link set node0 up
ip link set wire0 up
# Nobody is there; but an API server asks for the interface of the default route before it tells others its address.
ip route add default via 10.200.0.254
ip address add ${apiServiceAddress}/32 dev lo
for place in /run /var/lib /var/log; do mount -t tmpfs none "$place"; done
# A kubelet writes these settings of the whole machine, unless they are so already.
pretend() {
  echo "$2" > "$folder/setting-\${1##*/}"
  mount --bind "$folder/setting-\${1##*/}" "/proc/sys/$1"
}
pretend vm/overcommit_memory 1
pretend vm/panic_on_oom 0
pretend kernel/panic 10
pretend kernel/panic_on_oops 1
pretend kernel/keys/root_maxkeys 1000000
pretend kernel/keys/root_maxbytes 25000000
code=0
"$@" || code=$?
exit $code
`;

/** Without a configuration file: those that are there bring testbeds up that nobody needs here. */
function vitest(file: string): string {
  const options = { run: true, watch: false, config: false, testTimeout: 600_000, hookTimeout: 600_000 };
  const settings = { ...options, reporters: ['verbose'], pool: 'forks' };
  return `import('vitest/node').then(({ startVitest }) => startVitest('test', ['${file}'], ${JSON.stringify(settings)}))
    .then((run) => run.exit())`;
}

/** Control groups belong to no namespace. They are busy for a moment after the last of their processes. */
async function removeControlGroups(): Promise<boolean> {
  try {
    for (const top of controlGroups()) removeBelow(top);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EBUSY') return false;
    throw error;
  }
}

/** Those of a kubelet, wherever they are. */
export function controlGroups(): string[] {
  const root = '/sys/fs/cgroup';
  const tops = existsSync(root) ? readdirSync(root).map((controller) => join(root, controller, 'kubepods')) : [];
  return [...tops, join(root, 'kubepods')].filter((top) => existsSync(top));
}

function removeBelow(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) removeBelow(join(folder, entry.name));
  rmdirSync(folder);
}
