import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { architectures, here, readContents } from '../../images/executor/assembly/contents.ts';
import { version } from '../../src/cli/version.ts';
import { findCharts } from '../../testbed/binaries/find-charts.ts';
import { assembleImage } from '../image/assemble-image.ts';
import { buildWithBuildah } from '../image/build-with-buildah.ts';
import { differences, listFiles } from '../image/list-files.ts';
import { machineAuthorities, machineMirrors } from '../image/machine-mirrors.ts';
import { type Image, readLayout } from '../image/read-layout.ts';
import { type LayoutServer, serveLayouts } from '../image/serve-layouts.ts';
import { makeStandIns } from '../image/stand-in-images.ts';

const repository = new URL('../..', import.meta.url).pathname.replace(/\/$/, '');
const contents = readContents(repository);
const asked = process.env['TIPHYS_IMAGE_ARCH'] || here();
const architecture = architectures.find((one) => one === asked) ?? here();
const why = whyNotHere();
if (why !== undefined) process.stderr.write(`the Dockerfile is not built by a container engine: ${why}\n`);

describe.runIf(why === undefined)('the executor image, built from its Dockerfile by a container engine', () => {
  const kept = process.env['TIPHYS_IMAGE_ENGINE_KEEP'];
  const folder = kept || mkdtempSync(join(tmpdir(), 'tiphys-engine-'));
  const revision = '0123456789abcdef0123456789abcdef01234567';
  let registry: LayoutServer;
  let built: Image;
  let assembled: Image;

  beforeAll(async () => {
    mkdirSync(folder, { recursive: true });
    const mirrors = machineMirrors(contents.debian.suite);
    const charts = await findCharts({ env: process.env, report: (line) => void process.stderr.write(`${line}\n`) });
    const place = { folder: join(folder, 'stand-ins'), mirror: mirrors['DEBIAN_MIRROR'] };
    const { node, go } = await makeStandIns(repository, contents, place);
    registry = await serveLayouts({ 'library/node': node.layout, 'library/golang': go.layout });
    const args = {
      ...mirrors,
      NODE_IMAGE: `${registry.address}/library/node:24-bookworm-slim@${node.digest}`,
      GO_IMAGE: `${registry.address}/library/golang:1.26-bookworm@${go.digest}`,
      CHARTS: 'charts-mirror',
      VERSION: version,
      REVISION: revision,
    };
    const authorities = machineAuthorities();
    const layout = await buildWithBuildah({ repository, architecture, args, authorities, charts, folder });
    built = readLayout(layout, architecture);
    // The same Python that compiles inside of the engine: others of its line write other byte code.
    const env = { ...process.env, ...mirrors, PATH: `/usr/bin:${process.env['PATH']}` };
    const order = { repository, architecture, charts, revision, env, folder: join(folder, 'assembled') };
    assembled = readLayout(await assembleImage(order), architecture);
  }, 7_300_000);

  afterAll(() => {
    registry?.close();
    if (!kept) rmSync(folder, { recursive: true, force: true });
  });

  it('holds the same files with the same modes and owners as the assembled one (R7.1)', () => {
    expect(differences(listFiles(assembled.layers), listFiles(built.layers))).toEqual([]);
  });

  it('is for the same machine and starts in the same way', () => {
    const { Labels, ...config } = built.config;
    // The engine leaves its name.
    const labels = Object.entries(Labels).filter(([name]) => !name.startsWith('io.buildah.'));
    const told = { architecture: built.architecture, config: { ...config, Labels: Object.fromEntries(labels) } };
    expect(told).toEqual({ architecture, config: assembled.config });
  });
});

/** Everything that this needs and a machine may not have; images/executor/README.md says where it comes from. */
function whyNotHere(): string | undefined {
  if (process.env['TIPHYS_IMAGE_ENGINE'] !== 'buildah') return 'TIPHYS_IMAGE_ENGINE is not buildah';
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'it takes root rights on Linux';
  if (asked !== architecture) return `TIPHYS_IMAGE_ARCH is ${asked}, and not one of ${architectures.join(', ')}`;
  const programs = ['buildah', 'mmdebstrap', 'unshare', 'apt-get', 'dpkg-deb', 'python3', 'npm', 'go'];
  const missing = programs.filter((program) => spawnSync(program, ['--help']).error !== undefined);
  if (missing.length > 0) return `${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing`;
  const python = spawnSync('/usr/bin/python3', ['-c', 'import pip, sys; print("%d.%d" % sys.version_info[:2])'], {
    encoding: 'utf8',
  });
  if (python.stdout?.trim() === contents.ansible.python) return undefined;
  return `python3 ${contents.ansible.python} with pip, as Debian ${contents.debian.suite} has them, is missing`;
}
