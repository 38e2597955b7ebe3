import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readContents } from '../../images/executor/assembly/contents.ts';
import { layers } from '../../images/executor/assembly/order.ts';

const root = new URL('../..', import.meta.url).pathname;
const contents = readContents(root);
const stages = readStages(readFileSync(new URL('../../images/executor/Dockerfile', import.meta.url), 'utf8'));
const last = stages.at(-1) ?? { from: '', instructions: [] };

describe('the Dockerfile', () => {
  it('holds nothing but what the list of contents is assembled to (R7.1)', () => {
    expect(last.from).toBe('scratch');
    const copied = layers.map((layer) => `--from=assembly /layers/${layer}/ /`);
    expect(all(last, 'COPY')).toEqual(copied);
    expect(all(last, 'RUN')).toEqual([]);
    const assembly = stages.find(({ from }) => from.endsWith(' AS assembly'));
    expect(all(assembly, 'RUN').at(-1)).toContain('node images/executor/assemble.mjs --no-image');
  });

  it('starts as the list says: who, where, with which environment and what', () => {
    const { user, workingDirectory, entrypoint, environment } = contents.config;
    expect(all(last, 'USER')).toEqual([user]);
    expect(all(last, 'WORKDIR')).toEqual([workingDirectory]);
    expect(all(last, 'ENTRYPOINT').map((text) => JSON.parse(text))).toEqual([entrypoint]);
    expect(pairs(all(last, 'ENV').join(' '))).toEqual(environment);
  });

  it('labels the image as the list says, and with the version and commit it is given', () => {
    expect(pairs(all(last, 'LABEL').join(' '))).toEqual({
      ...contents.config.labels,
      'org.opencontainers.image.version': '$VERSION',
      'org.opencontainers.image.revision': '$REVISION',
    });
  });

  it('builds from images that are given with their digest, and from no other', () => {
    const images = stages.map(({ from }) => from.replace(/^--platform=\S+ /, '').replace(/ AS \S+$/, ''));
    expect(new Set(images)).toEqual(new Set(['$GO_IMAGE', '$NODE_IMAGE', 'scratch']));
    const text = readFileSync(new URL('../../images/executor/Dockerfile', import.meta.url), 'utf8');
    // A default would be one that nobody renews.
    expect([...text.matchAll(/^ARG \w+_IMAGE=.*$/gm)].map(([line]) => line)).toEqual([]);
    expect(text).toContain('has no digest');
  });

  it('is given all that the assembly reads, and not the whole repository', () => {
    const ignored = readFileSync(new URL('../../images/executor/Dockerfile.dockerignore', import.meta.url), 'utf8');
    const given = [...ignored.matchAll(/^!(.+)$/gm)].map(([, path = '']) => path);
    expect(ignored).toMatch(/^\*$/m);
    const folders = Object.values(contents.programs).map(({ folder }) => folder);
    // With other settings than those of tsconfig.json the same source is another program.
    const files = ['package.json', 'package-lock.json', 'tsconfig.json', 'LICENSE', 'src/cli/main.ts'];
    const read = [...files, ...folders, ...contents.tiphys.folders, contents.ansible.requirements];
    expect(read.filter((path) => !given.some((one) => `${path}/`.startsWith(`${one}/`)))).toEqual([]);
  });

  it('takes no secret as an argument or variable (R7.5)', () => {
    const named = stages.flatMap((stage) => [...all(stage, 'ARG'), ...all(stage, 'ENV')]);
    expect(named.filter((text) => /TOKEN|PASSWORD|SECRET|KEY|KUBECONFIG/i.test(text))).toEqual([]);
  });
});

interface Stage {
  readonly from: string;
  readonly instructions: { readonly name: string; readonly rest: string }[];
}

/** Lines that end with a backslash go on; comments and blank lines are nothing. */
function readStages(text: string): Stage[] {
  const joined = text.replaceAll(/^\s*#.*\n/gm, '').replaceAll(/\\\n\s*/g, '');
  const found: Stage[] = [];
  for (const [, name = '', rest = ''] of joined.matchAll(/^([A-Z]+) +(.*)$/gm)) {
    if (name === 'FROM') found.push({ from: rest, instructions: [] });
    else found.at(-1)?.instructions.push({ name, rest });
  }
  return found;
}

function all(stage: Stage | undefined, wanted: string): string[] {
  return (stage?.instructions ?? []).filter(({ name }) => name === wanted).map(({ rest }) => rest);
}

function pairs(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(/([\w.]+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]),
  );
}
