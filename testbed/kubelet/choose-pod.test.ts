import { describe, expect, it } from 'vitest';
import { choosePod } from './choose-pod.ts';
import { podOf } from './pod.fixture.ts';

describe('the pod that has the process', () => {
  it('is of the newest template, although an older pod is still there', () => {
    const pods = [podOf('new', { template: 'two', age: 1 }), podOf('old', { age: 9 })];
    expect(choosePod(pods, 'uid-of-old')?.metadata.name).toBe('new');
  });

  it('is the old one again when the newer one is on its way out', () => {
    const pods = [podOf('new', { template: 'two', age: 1, isLeaving: true }), podOf('old', { age: 9 })];
    expect(choosePod(pods, 'uid-of-new')?.metadata.name).toBe('old');
  });

  it('stays the same while others of its template come and go', () => {
    const pods = [podOf('a', { age: 9 }), podOf('b', { age: 5 }), podOf('c', { age: 1 })];
    expect(choosePod(pods, 'uid-of-b')?.metadata.name).toBe('b');
    expect(choosePod(pods, undefined)?.metadata.name).toBe('a');
  });

  it('is none that has no node, and none that is over', () => {
    const { nodeName: _node, ...spec } = podOf('waiting').spec;
    const waiting = { ...podOf('waiting'), spec };
    expect(choosePod([waiting, podOf('over', { status: { phase: 'Failed' } })], undefined)).toBeUndefined();
  });
});
