import { expect, test } from 'vitest';
import type { KubeObject } from '../store/objects.ts';
import { createGit } from './git.ts';

const object = (name: string): KubeObject => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });

test('every commit keeps what it held, and branches follow the newest', () => {
  const git = createGit({
    name: 'demo',
    branches: ['main'],
    first: (path) => (path === 'a' ? [object('one')] : undefined),
  });
  const first = git.head;
  expect(first).toMatch(/^[0-9a-f]{40}$/);
  const second = git.commit(new Map([['a', [object('two')]]]));
  expect(git.resolve('main')).toBe(second);
  expect(git.resolve('HEAD')).toBe(second);
  expect(git.resolve(first)).toBe(first);
  expect(git.resolve('nope')).toBeUndefined();
  expect(git.read('a', first)).toEqual({ objects: [object('one')] });
  expect(git.read('a', second)).toEqual({ objects: [object('two')] });
  expect(git.read('b', second)).toEqual({ error: 'rpc error: code = Unknown desc = b: app path does not exist' });
  const third = git.commit(new Map([['a', undefined]]));
  expect(git.read('a', third)).toHaveProperty('error');
});

test('a path is made only when somebody reads it', () => {
  const asked: string[] = [];
  const git = createGit({
    name: 'demo',
    branches: [],
    first(path) {
      asked.push(path);
      return [];
    },
  });
  expect(asked).toEqual([]);
  git.read('a', git.head);
  git.read('a', git.head);
  expect(asked).toEqual(['a']);
});
