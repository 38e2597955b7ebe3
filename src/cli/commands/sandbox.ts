import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { serveHttp } from '../../sandbox/api/serve-http.ts';
import { createSandbox } from '../../sandbox/sandbox.ts';
import { scaledTime } from '../../sandbox/time.ts';
import { folderOf } from '../folder-of.ts';
import type { CommandRun, Invocation } from '../invocation.ts';
import { ExitError, type Io } from '../io.ts';
import { listenAddress } from '../listen-address.ts';
import { loadPlatform } from '../load-platform.ts';
import { faultsOf, scenarioOf, speedOf } from '../open-sandbox.ts';
import { readSettings } from '../settings.ts';

export const sandboxCommand: CommandRun = async (invocation) => {
  const { io, options } = invocation;
  const settings = readSettings(options, {});
  const loaded = await loadPlatform(io, folderOf(invocation), settings);
  const speed = speedOf({ ...settings, raw: { speed: '1x', ...settings.raw } }, false, () => 1);
  if (speed === 'max')
    throw new ExitError(
      3,
      'a served sandbox cannot run at --speed max',
      'Its clients live in real time: give a factor such as 60x.',
    );
  const { listen, writeKubeconfig } = served(invocation);
  const where = listenAddress('--listen', listen);
  const sandbox = createSandbox({
    platform: loaded.platform,
    scenario: scenarioOf(loaded),
    faults: faultsOf(settings, loaded.platform),
    time: scaledTime(speed),
  });
  const server = await serveHttp(sandbox.handle, where).catch((error: NodeJS.ErrnoException) => {
    // Its controllers would keep the process alive.
    sandbox.stop();
    throw new ExitError(
      1,
      `cannot listen on ${listen} (${error.code ?? error.message})`,
      'Give another --listen; port 0 takes a free one.',
    );
  });
  try {
    if (writeKubeconfig !== undefined) await writeOwnFile(io, writeKubeconfig, kubeconfig(server.url));
    const use = writeKubeconfig === undefined ? '' : `; KUBECONFIG=${writeKubeconfig}`;
    io.err(`ready: ${loaded.platform.name} at ${server.url}${use}\n`);
    await untilAborted(io.stop);
  } finally {
    sandbox.stop();
    await server.close();
  }
  return 0;
};

function served({ options }: Invocation): { listen: string; writeKubeconfig: string | undefined } {
  // Options of this command alone; commander gives them with the common ones.
  const own = options as { listen?: string; writeKubeconfig?: string };
  return { listen: own.listen ?? '127.0.0.1:0', writeKubeconfig: own.writeKubeconfig };
}

async function writeOwnFile(io: Io, file: string, text: string): Promise<void> {
  try {
    await writeFile(resolve(io.cwd, file), text, { mode: 0o600 });
  } catch (error) {
    throw new ExitError(
      3,
      `${file} cannot be written (${(error as NodeJS.ErrnoException).code ?? String(error)})`,
      '--write-kubeconfig takes a file in a folder that exists and is writable.',
    );
  }
}

function kubeconfig(server: string): string {
  return `apiVersion: v1
kind: Config
clusters: [{ name: sandbox, cluster: { server: "${server}" } }]
users: [{ name: sandbox, user: { token: sandbox } }]
contexts: [{ name: sandbox, context: { cluster: sandbox, user: sandbox, namespace: argocd } }]
current-context: sandbox
`;
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal.aborted) done();
    else signal.addEventListener('abort', () => done(), { once: true });
  });
}
