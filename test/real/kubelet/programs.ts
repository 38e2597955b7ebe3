import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** The path of a program: with the testbed's, or on the PATH. */
export function findProgram(name: string): string | undefined {
  const folders = [process.env['TIPHYS_TESTBED_BIN'] ?? '', ...(process.env['PATH'] ?? '').split(':')];
  return folders.map((folder) => join(folder, name)).find((path) => path.startsWith('/') && existsSync(path));
}

export function programOf(name: string): string {
  const path = findProgram(name);
  if (path === undefined) throw new Error(`${name} is neither in TIPHYS_TESTBED_BIN nor in PATH`);
  return path;
}

/** Where the plugins are that give a pod its network. */
export function findNetworkPlugins(): string | undefined {
  const folders = [process.env['CNI_PATH'] ?? '', '/usr/lib/cni', '/opt/cni/bin'];
  return folders.find((folder) => ['bridge', 'host-local', 'loopback'].every((one) => existsSync(join(folder, one))));
}
