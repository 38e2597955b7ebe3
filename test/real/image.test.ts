import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { architectures, here, readContents } from '../../images/executor/assembly/contents.ts';
import { version } from '../../src/cli/version.ts';
import { findCharts } from '../../testbed/binaries/find-charts.ts';
import { assembleImage } from '../image/assemble-image.ts';
import { whyNoEmulation } from '../image/emulator.ts';
import { type Ended, type Entering, enterImage, unpackImage, whyNoNamespaces } from '../image/enter-image.ts';
import { buildProgram, executorBeside, type Running, startProgram } from './program.ts';
import { eventually } from './waiting.ts';

const repository = new URL('../..', import.meta.url).pathname.replace(/\/$/, '');
const contents = readContents(repository);
// Of another machine than this one, too, where its programs can be emulated.
const asked = process.env['TIPHYS_IMAGE_ARCH'] || here();
const architecture = architectures.find((one) => one === asked) ?? here();
// An emulated Ansible takes its time.
const timeout = architecture === here() ? 120_000 : 1_800_000;
const why = whyNotHere();
if (why !== undefined) process.stderr.write(`the executor image is not assembled and not tested: ${why}\n`);

describe.runIf(why === undefined)('the executor image, run from its own files', { timeout }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'tiphys-image-'));
  let entering: Entering;
  let sandbox: Running;
  /** The same program from the clone. */
  let program = '';

  beforeAll(async () => {
    const image = unpackImage(await layout(folder), join(folder, 'root'), architecture);
    entering = { root: join(folder, 'root'), image, config: join(folder, 'config'), secrets: join(folder, 'secrets') };
    cpSync(join(repository, 'platforms/hello'), entering.config, { recursive: true });
    mkdirSync(entering.secrets);
    program = await buildProgram('image');
    const kubeconfig = join(entering.secrets, 'kubeconfig');
    sandbox = startProgram(program, ['sandbox', entering.config, '--speed', '200x', '--write-kubeconfig', kubeconfig]);
    await eventually('the sandbox is ready', async () => sandbox.said.err.includes('ready: hello at'));
  }, 3_700_000);

  afterAll(async () => {
    sandbox?.child.kill('SIGTERM');
    await sandbox?.ended;
    rmSync(folder, { recursive: true, force: true });
  });

  it('runs as user 1000 below tini, writes to /tmp and nowhere else (R7.1)', async () => {
    expect(await inside('id', '-u')).toMatchObject({ code: 0, out: '1000\n' });
    expect(await inside('sh', '-c', 'echo x > /tmp/x && cat /tmp/x')).toMatchObject({ code: 0, out: 'x\n' });
    for (const place of ['/x', '/opt/tiphys/x', '/config/x', '/secrets/x']) {
      expect((await inside('sh', '-c', `echo x > ${place}`)).err).toContain('Read-only file system');
    }
    expect(entering.image.config.Entrypoint[0]).toBe('/usr/bin/tini');
  });

  it('has every tool in the version that the list names (R3.4)', async () => {
    expect((await inside('node', '--version')).out).toBe(`v${contents.node.version}\n`);
    expect((await inside('helm', 'version', '--short')).out).toContain(`v${contents.programs['helm']?.version}`);
    expect((await inside('kubectl', 'version', '--client')).out).toContain(`v${contents.programs['kubectl']?.version}`);
    expect(await inside('kubeseal', '--version')).toMatchObject({
      code: 0,
      out: expect.stringContaining('kubeseal version'),
    });
    expect((await inside('yq', '--version')).out).toContain(`v${contents.programs['yq']?.version}`);
    expect((await inside('jq', '--version')).out).toMatch(/^jq-1\.[6-9]/);
    expect((await inside('git', '--version')).out).toMatch(/^git version 2\./);
    expect((await inside('ansible-playbook', '--version')).out).toMatch(/^ansible-playbook \[core 2\.19\./);
    expect((await inside('ansible-galaxy', 'collection', 'list')).out).toMatch(/kubernetes\.core +\d/);
    const packages = 'import jsonpatch, kubernetes, openshift, yaml';
    expect(await inside('/opt/ansible/bin/python3', '-c', packages)).toEqual({ code: 0, out: '', err: '' });
  });

  it('trusts the authorities that Debian trusts', async () => {
    const count = 'import ssl; print(len(ssl.create_default_context().get_ca_certs()))';
    expect(Number((await inside('/opt/ansible/bin/python3', '-c', count)).out)).toBeGreaterThan(100);
  });

  it('reads our playbook and finds everything that it names', async () => {
    const env = { ANSIBLE_CONFIG: '/opt/tiphys/bootstrap/ansible.cfg' };
    const { code, out, err } = await enterImage({ ...entering, env }, [
      ...['ansible-playbook', '--syntax-check', '-i', '/opt/tiphys/bootstrap/inventories/local/hosts.yml'],
      '/opt/tiphys/bootstrap/site.yml',
    ]);
    expect({ code, out, err }).toMatchObject({ code: 0 });
  });

  it('tells its version, and what is wrong with its arguments, as outside', async () => {
    expect(await executor('--version')).toEqual({ code: 0, out: `${version}\n`, err: '' });
    expect(await executor('deploi')).toEqual(outside('deploi'));
    expect(await executor('validate', '/nowhere')).toEqual(outside('validate', '/nowhere'));
  });

  it('validates /config against a cluster with the exit codes, the report and the JSON log that it has outside (R7.2, R7.3, R7.10)', async () => {
    const words = ['validate', '--log-format', 'json', '-o', 'json'];
    const empty = await executor(...words);
    expect(empty.code).toBe(1);
    expect(asTold(empty)).toEqual(asTold(outside(...words)));
    expect((await executor('deploy', '--log-format', 'json')).code).toBe(0);
    const healthy = await executor(...words);
    expect(healthy.code).toBe(0);
    expect(asTold(healthy)).toEqual(asTold(outside(...words)));
    expect(asTold(healthy).log.length).toBeGreaterThan(1);
  });

  it('lists everything that is in it', () => {
    const bill = JSON.parse(readFileSync(join(entering.root, 'opt/tiphys/sbom.cdx.json'), 'utf8'));
    const purls: string[] = bill.components.map(({ purl }: { purl: string }) => purl);
    for (const name of ['deb/debian/git@', 'deb/debian/tini@', 'npm/yaml@', 'npm/%40kubernetes/client-node@'])
      expect(purls.filter((purl) => purl.startsWith(`pkg:${name}`))).toHaveLength(1);
    for (const name of ['pypi/ansible-core@2.19', 'pypi/kubernetes@', 'generic/ansible-collection/kubernetes.core@'])
      expect(purls.filter((purl) => purl.startsWith(`pkg:${name}`))).toHaveLength(1);
    for (const { module, version: wanted } of Object.values(contents.programs))
      expect(purls).toContain(`pkg:golang/${module}@v${wanted}`);
    expect(purls.filter((purl) => purl.startsWith('pkg:helm/'))).toHaveLength(4);
    const refs = new Set(['image', ...purls]);
    const named: string[] = bill.dependencies.flatMap(({ ref, dependsOn }: { ref: string; dependsOn: string[] }) => [
      ref,
      ...dependsOn,
    ]);
    expect(named.filter((ref) => !refs.has(ref))).toEqual([]);
  });

  it('holds no program that makes somebody else of who runs it, and no keys', () => {
    const find = (...words: string[]): string => execFileSync('find', [entering.root, ...words], { encoding: 'utf8' });
    expect(find('-type', 'f', '-perm', '/6000')).toBe('');
    expect(find('-type', 'f', '(', '-name', 'kubeconfig', '-o', '-name', 'id_*', '-o', '-name', '.npmrc', ')')).toBe(
      '',
    );
  });

  function inside(...command: string[]): Promise<Ended> {
    return enterImage(entering, command);
  }

  function executor(...args: string[]): Promise<Ended> {
    const env = { KUBECONFIG_PATH: '/secrets/kubeconfig' };
    return enterImage({ ...entering, env }, [...entering.image.config.Entrypoint, ...args]);
  }

  /** With the same folder: without one it would read /config of this machine. */
  function outside(...args: string[]): Ended {
    const env = { PATH: process.env['PATH'], KUBECONFIG_PATH: join(entering.secrets, 'kubeconfig') };
    const words =
      args.length > 1 && args[1]?.startsWith('-') ? [args[0] ?? '', entering.config, ...args.slice(1)] : args;
    const options = { cwd: repository, env, encoding: 'utf8' } as const;
    const { status, stdout, stderr } = spawnSync(process.execPath, [executorBeside(program), ...words], options);
    return { code: status, out: stdout, err: stderr };
  }
});

/** The image of `TIPHYS_IMAGE`, a layout that somebody else has made of the Dockerfile, say; or one that is assembled now. */
async function layout(folder: string): Promise<string> {
  const made = process.env['TIPHYS_IMAGE'];
  if (made) return made;
  // Those of the testbed are for this machine.
  const programs = architecture === here() ? process.env['TIPHYS_TESTBED_BIN'] : undefined;
  const charts = await findCharts({ env: process.env, report: (line) => void process.stderr.write(`${line}\n`) });
  return assembleImage({ repository, architecture, charts, programs, folder });
}

/** A run without what no two runs share: times, and names that are drawn. */
function asTold({ code, out, err }: Ended): { code: number | null; report: unknown; log: unknown[] } {
  const report = JSON.parse(out);
  const log = err
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .map(({ timestamp, message, ...rest }) => ({
      ...rest,
      isTime: !Number.isNaN(Date.parse(timestamp)),
      message: told(message),
    }));
  const { outcome, exitCode, failures, compliance, nodes } = report;
  const states = nodes.map(({ name, state }: { name: string; state: string }) => ({ name, state }));
  return { code, report: { outcome, exitCode, failures, compliance, states }, log };
}

function told(message: string): string {
  return message.replaceAll(/validate-\S+/g, 'validate-…').replaceAll(/\d+(\.\d+)?/g, 'n');
}

function whyNotHere(): string | undefined {
  if (process.platform !== 'linux') return 'it is made on Linux';
  if (asked !== architecture) return `TIPHYS_IMAGE_ARCH is ${asked}, and not one of ${architectures.join(', ')}`;
  const missing = ['apt-get', 'dpkg-deb', 'python3', 'go'].filter(
    (tool) => spawnSync(tool, ['--help']).error !== undefined,
  );
  if (missing.length > 0) return `${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing`;
  if (!existsSync('/usr/share/keyrings/debian-archive-keyring.gpg')) return 'the keys of Debian are not here';
  const python = spawnSync('python3', ['-c', 'import pip, sys; print("%d.%d" % sys.version_info[:2])'], {
    encoding: 'utf8',
  });
  if (python.stdout.trim() !== contents.ansible.python) return `python3 ${contents.ansible.python} with pip is missing`;
  return whyNoNamespaces() ?? whyNoEmulation(architecture);
}
