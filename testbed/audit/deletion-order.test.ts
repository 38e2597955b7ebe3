import { describe, expect, it } from 'vitest';
import { created, deleted, entry, smallPlatform } from './audit.fixture.ts';
import { deletionOrder } from './deletion-order.ts';

const platform = smallPlatform();
const made = ['base', 'other', 'data', 'web'].map((app, index) => created(index + 1, app));

describe('the order of deletions', () => {
  it('is right when everything that needs an app is gone before it', () => {
    const { nodes, wrong } = deletionOrder(platform, [
      ...made,
      ...['web', 'data', 'base', 'other'].map((app, index) => deleted(10 + index, app)),
    ]);
    expect(wrong).toEqual([]);
    expect([...nodes.keys()]).toEqual(['web', 'data', 'base', 'other']);
  });

  it('is wrong when an app goes before what needs it', () => {
    const { wrong } = deletionOrder(platform, [...made, deleted(10, 'data'), deleted(11, 'web')]);
    expect(wrong).toEqual(['configmaps data/data of data was deleted while configmaps web/web of web was there']);
  });

  it('counts an object as there until its last finalizer is gone', () => {
    const finalizer = entry(12, { verb: 'patch', code: 200, user: 'collector', namespace: 'web', name: 'web' });
    const { wrong } = deletionOrder(platform, [...made, deleted(10, 'web'), deleted(11, 'data'), finalizer]);
    expect(wrong).toHaveLength(1);
  });

  it('forgets a deletion when the object was made again', () => {
    const { nodes } = deletionOrder(platform, [...made, deleted(10, 'web'), created(11, 'web')]);
    expect(nodes.size).toBe(0);
  });
});
