import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Order } from './order.ts';
import { AssemblyError, run } from './run.ts';

/** Downloads the packages and all that they depend on, with an apt that knows nothing of this machine's packages; gives the files, sorted. */
export async function downloadPackages({ contents, architecture, cache, env, report }: Order): Promise<string[]> {
  const { suite, packages } = contents.debian;
  const folder = join(cache, `debian-${suite}-${architecture}`);
  const config = await furnish(folder, { suite, architecture, env });
  const apt = (...words: string[]): Promise<string> =>
    run('apt-get', ['-c', config, ...words], { env: { LC_ALL: 'C' } });
  report(`asking for the packages of Debian ${suite} (${architecture})`);
  await refresh(() => apt('update', '-q'), join(folder, 'lists'), report);
  const install = ['install', '-q', '--yes', ...packages];
  const wanted = parseSimulation(await apt('--simulate', ...install));
  if (wanted.length < packages.length) throw new AssemblyError('apt-get would install nothing', `look into ${folder}`);
  await apt('--download-only', ...install);
  return wanted.map((name) => join(folder, 'archives', name)).sort();
}

/** The files of the packages that `apt-get --simulate` would install, as apt names them. */
export function parseSimulation(printed: string): string[] {
  return [...printed.matchAll(/^Inst (\S+) \((\S+) .*\[(\w+)\]\)/gm)].map(
    ([, name = '', version = '', architecture = '']) =>
      `${name.replace(/:\w+$/, '')}_${version.replaceAll(':', '%3a')}_${architecture}.deb`,
  );
}

interface Source {
  readonly suite: string;
  readonly architecture: string;
  readonly env: NodeJS.ProcessEnv;
}

/** A world of its own for apt. The machine's proxy and credentials stay in force; what it does after an update does not. */
async function furnish(folder: string, { suite, architecture, env }: Source): Promise<string> {
  for (const name of ['lists/partial', 'archives/partial', 'empty'])
    await mkdir(join(folder, name), { recursive: true });
  const mirror = env['DEBIAN_MIRROR'] || 'http://deb.debian.org/debian';
  const security = env['DEBIAN_SECURITY_MIRROR'] || 'http://deb.debian.org/debian-security';
  const signed = '[signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]';
  await writeFile(
    join(folder, 'sources.list'),
    `deb ${signed} ${mirror} ${suite} main\ndeb ${signed} ${mirror} ${suite}-updates main\ndeb ${signed} ${security} ${suite}-security main\n`,
  );
  await writeFile(join(folder, 'status'), '');
  const config = join(folder, 'apt.conf');
  await writeFile(config, aptConfig(folder, architecture));
  return config;
}

function aptConfig(folder: string, architecture: string): string {
  return `#clear DPkg::Post-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
#clear APT::Architectures;
APT::Architecture "${architecture}";
APT::Architectures { "${architecture}"; };
APT::Install-Recommends "false";
APT::Sandbox::User "root";
Acquire::Languages "none";
Acquire::Retries "3";
Debug::NoLocking "true";
Dir::Etc::sourcelist "${folder}/sources.list";
Dir::Etc::sourceparts "${folder}/empty";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "${folder}/empty";
Dir::State "${folder}";
Dir::State::lists "${folder}/lists";
Dir::State::status "${folder}/status";
Dir::State::extended_states "${folder}/extended_states";
Dir::Cache "${folder}";
Dir::Cache::archives "${folder}/archives";
`;
}

/** Without a way to the mirror, what was fetched before has to do. */
async function refresh(update: () => Promise<unknown>, lists: string, report: (line: string) => void): Promise<void> {
  try {
    await update();
  } catch (error) {
    const known = (await readdir(lists)).some((name) => name.includes('_Packages'));
    if (!(error instanceof AssemblyError) || !known) throw error;
    report('the mirror of Debian cannot be asked; going on with the lists of the last time');
  }
}
