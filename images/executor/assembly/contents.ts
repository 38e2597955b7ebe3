import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';

/** Reads the list of what the image holds. */
export function readContents(repository: string): Contents {
  return schema.parse(parse(readFileSync(join(repository, 'images/executor/contents.yaml'), 'utf8')));
}

export const architectures = ['amd64', 'arm64'] as const;
export type Architecture = (typeof architectures)[number];

/** The architecture of this machine. */
export function here(): Architecture {
  return process.arch === 'arm64' ? 'arm64' : 'amd64';
}

const absolute = z.string().startsWith('/');
const relative = z.string().regex(/^[^/]/);
const words = z.array(z.string().min(1)).min(1);

const program = z.strictObject({
  /** The module whose go.mod and go.sum lock what it is built from. */
  folder: relative,
  module: z.string(),
  version: z.string(),
  package: z.string(),
  /** What the linker writes into string variables, because a program built from a module does not know its version. */
  variables: z.record(z.string(), z.string()),
});

const nodePackage = z.strictObject({ name: z.string(), integrity: z.string().startsWith('sha512-') });

const schema = z.strictObject({
  name: z.string(),
  debian: z.strictObject({ suite: z.string(), packages: words, without: z.array(relative) }),
  node: z.strictObject({ version: z.string().regex(/^24\./), packages: z.record(z.enum(architectures), nodePackage) }),
  programs: z.record(z.string(), program),
  ansible: z.strictObject({ home: absolute, python: z.string(), requirements: relative, collections: words }),
  tiphys: z.strictObject({ home: absolute, folders: z.array(relative).min(1), charts: absolute }),
  writable: z.array(absolute).min(1),
  mounts: z.array(absolute).min(1),
  config: z.strictObject({
    user: z.string().regex(/^[1-9]\d*:[1-9]\d*$/),
    workingDirectory: absolute,
    entrypoint: words,
    environment: z.record(z.string(), z.string()),
    labels: z.record(z.string(), z.string()),
  }),
});

export type Contents = z.infer<typeof schema>;
export type GoProgram = z.infer<typeof program>;
