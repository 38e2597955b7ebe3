import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { isMap, isScalar, parseDocument, stringify, type YAMLMap } from 'yaml';
import { tell } from '../../src/cli/fake-io.fixture.ts';
import { version } from '../../src/cli/version.ts';
import { workflowTemplates } from '../../src/core/workflow/run-templates.ts';
import { renderedChart } from './grants.ts';
import { findHelm, helm, objectsOf, type Rendered } from './helm.ts';

const chart = 'charts/tiphys';
const modes = ['agent', 'pod'] as const;
const helmFolder = findHelm();
const withHelm = describe.runIf(helmFolder !== undefined);
const platforms = ['--set-file', 'platforms.hello.dag=platforms/hello/dag.yaml'];
const settings = {
  agent: [],
  pod: ['--set', 'steps=pod', '--set', 'teardown.enabled=true', '--set', 'argocd.applicationNamespaces={team-a}'],
};

describe('the ClusterWorkflowTemplates of the chart', () => {
  it.each(modes)('are those of the source, in mode %s', async (steps) => {
    const templates = workflowTemplates({ steps, image: 'EXECUTOR_IMAGE' });
    const text = templates.map((one) => stringify(one, { lineWidth: 0, aliasDuplicateObjects: false })).join('---\n');
    await expect(text).toMatchFileSnapshot(`../../${chart}/files/templates-${steps}.yaml`);
  });

  it.each(modes)('are printed by `tiphys compile --templates`, for who has no Helm, in mode %s', async (steps) => {
    const words = ['compile', '--templates', '--steps', steps];
    const { exitCode, out } = await tell(words);
    expect([exitCode, objectsOf(out)]).toEqual([0, templatesIn(steps)]);
    const list = await tell([...words, '-o', 'json']);
    expect(JSON.parse(list.out)).toEqual({ apiVersion: 'v1', kind: 'List', items: templatesIn(steps) });
  });

  it.each(modes)('are rendered as the source has them, in mode %s', (steps) => {
    expect(templatesIn(steps)).toEqual(workflowTemplates({ steps, image: `tiphys/executor:${version}` }));
  });
});

describe('what the chart renders', () => {
  it.each(modes)('names each object once, in mode %s', (steps) => {
    const names = renderedChart(steps).map(({ kind, metadata: { namespace, name } }) => `${kind} ${namespace} ${name}`);
    expect(names.length).toBeGreaterThan(20);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  it('has an agent only where an agent does the steps', () => {
    const deployments = modes.map((steps) => renderedChart(steps).filter(({ kind }) => kind === 'Deployment').length);
    expect(deployments).toEqual([1, 0]);
  });

  it('lets nobody delete what a platform consists of unless told so', () => {
    expect(renderedChart('agent').filter(({ metadata }) => /teardown/.test(metadata.name))).toMatchObject([
      { kind: 'ClusterWorkflowTemplate' },
    ]);
    expect(renderedChart('pod').filter(({ metadata }) => /teardown/.test(metadata.name)).length).toBeGreaterThan(1);
  });

  it('has an account for every account that its pods ask for', () => {
    for (const steps of modes) {
      const objects = renderedChart(steps);
      const accounts = objects.filter(({ kind }) => kind === 'ServiceAccount').map(({ metadata }) => metadata.name);
      expect(accounts).toContain(steps === 'agent' ? 'tiphys-agent' : 'tiphys-step');
      const bound = objects.flatMap((one) => (one['subjects'] ?? []) as { name: string }[]);
      expect(bound.filter(({ name }) => !accounts.includes(name))).toEqual([]);
    }
  });

  it('passes the strictest pod security level everywhere', () => {
    const containers = modes.flatMap((steps) => containersIn(renderedChart(steps)));
    expect(containers.length).toBe(9);
    for (const { securityContext } of containers) {
      expect(securityContext).toMatchObject({
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'] },
        readOnlyRootFilesystem: true,
      });
    }
  });
});

withHelm(helmFolder === undefined ? 'helm (skipped: neither in TIPHYS_TESTBED_BIN nor in PATH)' : 'helm', () => {
  const run = (...words: readonly string[]): string => helm(helmFolder ?? '', ...words);
  const render = (...flags: readonly string[]): string =>
    run('template', 'tiphys', chart, '--namespace', 'argo', ...platforms, ...environment, ...flags);

  it.each(modes)('renders what is committed, in mode %s', async (steps) => {
    await expect(render(...settings[steps])).toMatchFileSnapshot(`./rendered/${steps}.yaml`);
  });

  it.each(modes)('finds nothing to complain about, in mode %s', (steps) => {
    const said = run('lint', chart, '--strict', '--namespace', 'argo', ...settings[steps]);
    expect(said).toContain('0 chart(s) failed');
    expect(said).not.toMatch(/\[(WARNING|ERROR)\]/);
  });

  it.each([
    ['steps=both', 'steps'],
    ['image.digest=latest', 'digest'],
    ['agent.replica=2', 'replica'],
    ['platforms.half.dag=x', 'environment'],
  ])('refuses values that mean nothing: %s', (value, named) => {
    expect(() => render('--set', value)).toThrow(named);
  });

  it('takes the digest rather than the tag', () => {
    const digest = `sha256:${'0'.repeat(64)}`;
    const images = [...render('--set', `image.digest=${digest},image.tag=v1`).matchAll(/image: (.+)/g)].map(
      ([, one]) => one,
    );
    expect([...new Set(images)]).toEqual([`tiphys/executor@${digest}`]);
  });
});

describe('the chart’s documents', () => {
  it('have the version of the program', () => {
    expect(parseDocument(readFileSync(`${chart}/Chart.yaml`, 'utf8')).toJS()).toMatchObject({
      version,
      appVersion: version,
    });
  });

  it('list every value with its default and what it is for', () => {
    const values = parseDocument(readFileSync(`${chart}/values.yaml`, 'utf8')).contents as YAMLMap;
    const table = ['| value | default | what it is |', '|---|---|---|', ...rowsOf(values, [])].join('\n');
    expect(readFileSync(`${chart}/README.md`, 'utf8')).toContain(table);
  });

  it('are in the chart: nothing in it has an address', () => {
    const files = readdirSync(chart, { recursive: true, encoding: 'utf8', withFileTypes: true }).filter((one) =>
      one.isFile(),
    );
    const addresses = files.flatMap(({ parentPath, name }) =>
      [...readFileSync(`${parentPath}/${name}`, 'utf8').matchAll(/https?:\/\/[^\s"]+/g)].map(([address]) => address),
    );
    expect([...new Set(addresses)]).toEqual(['http://json-schema.org/draft-07/schema#']);
  });
});

const environment = ['--set-file', 'platforms.hello.environment=platforms/hello/environment.yaml'];

function templatesIn(steps: (typeof modes)[number]): readonly Rendered[] {
  return renderedChart(steps).filter(({ kind }) => kind === 'ClusterWorkflowTemplate');
}

interface Container {
  readonly securityContext: object;
}

function containersIn(value: unknown): Container[] {
  if (Array.isArray(value)) return value.flatMap(containersIn);
  if (typeof value !== 'object' || value === null) return [];
  const own = value as { readonly image?: string };
  return own.image === undefined ? Object.values(value).flatMap(containersIn) : [value as Container];
}

/** Leaves of values.yaml, each with the comment above it. */
function rowsOf(map: YAMLMap, path: readonly string[]): string[] {
  return map.items.flatMap((item, index) => {
    const { key, value } = item;
    if (!isScalar(key)) throw new Error('keys are words');
    const name = [...path, String(key.value)];
    // The first comment of a map stands before the map itself.
    const comment = key.commentBefore ?? (index === 0 ? map.commentBefore : undefined) ?? '';
    if (isMap(value) && value.flow !== true && value.items.length > 0) return rowsOf(value, name);
    const shown = JSON.stringify(isMap(value) || value instanceof Object ? (value as YAMLMap).toJSON() : value);
    return [`| \`${name.join('.')}\` | \`${shown}\` | ${comment.trim()} |`];
  });
}
