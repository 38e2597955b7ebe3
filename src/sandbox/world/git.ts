import type { KubeObject } from '../store/objects.ts';
import { fakeSha } from './random.ts';

/** A repository with one branch: paths with the objects in them, and every commit that was ever made. */
export interface Git {
  /** The commit a branch, `HEAD` or a commit id means; undefined when there is none. */
  resolve(revision: string): string | undefined;
  read(path: string, commit: string): Content;
  /** Replaces what some paths hold; undefined removes a path. Gives the new commit. */
  commit(paths: ReadonlyMap<string, PathContent | undefined>): string;
  readonly head: string;
}

/** Objects, or text that does not parse, as the message Argo CD's repo-server has for it. */
export type PathContent = readonly KubeObject[] | { readonly broken: string };

export type Content = { readonly objects: readonly KubeObject[] } | { readonly error: string };

/** `first` is asked once per path, when somebody reads it, so that a large platform costs nothing until it is used. */
export function createGit(options: {
  name: string;
  branches: readonly string[];
  first: (path: string) => PathContent | undefined;
}): Git {
  const commits = [fakeSha(`${options.name}#0`)];
  const numbers = new Map<string, number>([[commits[0] as string, 0]]);
  const changes = new Map<string, { number: number; content: PathContent | undefined }[]>();
  const initial = new Map<string, PathContent | undefined>();
  const branches = new Set(['HEAD', ...options.branches]);
  const head = (): string => commits[commits.length - 1] as string;

  function contentAt(path: string, number: number): PathContent | undefined {
    const change = changes.get(path)?.findLast((candidate) => candidate.number <= number);
    if (change !== undefined) return change.content;
    if (!initial.has(path)) initial.set(path, options.first(path));
    return initial.get(path);
  }

  return {
    get head() {
      return head();
    },
    resolve: (revision) => (branches.has(revision) ? head() : numbers.has(revision) ? revision : undefined),
    read(path, commit) {
      const content = contentAt(path, numbers.get(commit) ?? 0);
      if (content === undefined) return { error: `rpc error: code = Unknown desc = ${path}: app path does not exist` };
      return 'broken' in content ? { error: content.broken } : { objects: content };
    },
    commit(paths) {
      const number = commits.length;
      const sha = fakeSha(`${options.name}#${number}#${JSON.stringify([...paths])}`);
      commits.push(sha);
      numbers.set(sha, number);
      for (const [path, content] of paths) {
        changes.set(path, [...(changes.get(path) ?? []), { number, content }]);
      }
      return sha;
    },
  };
}
