import { describe, expect, it } from 'vitest';
import { workflowTemplates } from './run-templates.ts';

interface Template {
  readonly name: string;
  readonly inputs?: { readonly parameters: readonly { readonly name: string }[] };
  readonly serviceAccountName?: string;
  readonly retryStrategy?: object;
}

interface ClusterTemplate {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly entrypoint?: string;
    readonly arguments?: { readonly parameters: readonly { readonly name: string; readonly value?: string }[] };
    readonly templates: readonly Template[];
  };
}

const all = (['agent', 'pod'] as const).flatMap((steps) =>
  workflowTemplates({ steps, image: 'example/executor:1' }).map(
    (one) => [steps, one as unknown as ClusterTemplate] as const,
  ),
);
const named = all.map(([steps, one]) => [`${one.metadata.name} with ${steps}`, one] as const);
const commands = named.filter(([, { spec }]) => spec.entrypoint !== undefined);

describe('the templates', () => {
  it.each(named)('%s: declare every input they use, and use every input they declare', (_name, { spec }) => {
    for (const template of spec.templates) {
      const used = [...JSON.stringify(template).matchAll(/\{\{inputs\.parameters\.([a-z-]+)\}\}/g)].map(
        ([, name = '']) => name,
      );
      const declared = template.inputs?.parameters.map(({ name }) => name) ?? [];
      expect([...new Set(used)].sort()).toEqual([...declared].sort());
    }
  });

  it.each(commands)('%s: ask whoever submits them for exactly the inputs of their entrypoint', (_name, { spec }) => {
    const entry = spec.templates.find(({ name }) => name === spec.entrypoint);
    expect(spec.arguments?.parameters.map(({ name }) => name)).toEqual(
      entry?.inputs?.parameters.map(({ name }) => name),
    );
  });

  it.each(commands)('%s: hold no lock that the Workflow they submit waits for', (_name, { spec }) => {
    expect(JSON.stringify(spec)).not.toContain('synchronization');
  });

  it.each(commands)('%s: run under the account of their command', (_name, { metadata, spec }) => {
    const own = metadata.name === 'tiphys-deploy' ? 'tiphys-{{inputs.parameters.action}}' : metadata.name;
    expect(spec.templates.map(({ serviceAccountName }) => serviceAccountName)).toEqual([own]);
  });

  it('need the name of the platform, and to take it down that name once more (R7.8)', () => {
    const needed = commands.map(([, { metadata, spec }]) => {
      const open = spec.arguments?.parameters.filter(({ value }) => value === undefined).map(({ name }) => name);
      return [metadata.name, open];
    });
    expect(Object.fromEntries(needed)).toEqual({
      'tiphys-deploy': ['platform'],
      'tiphys-teardown': ['platform', 'confirm'],
      'tiphys-validate': ['platform'],
    });
  });

  it('do not start a run twice when the pod that follows it is lost', () => {
    const again = commands.map(([, { metadata, spec }]) => [
      metadata.name,
      spec.templates[0]?.retryStrategy !== undefined,
    ]);
    expect(Object.fromEntries(again)).toEqual({
      'tiphys-deploy': false,
      'tiphys-teardown': true,
      'tiphys-validate': true,
    });
  });
});
