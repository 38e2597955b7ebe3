import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ansible, findAnsible, here, withoutAnsible } from './ansible.ts';
import { scratchFolder } from './scratch.ts';

const isThere = findAnsible() !== undefined;

describe.runIf(isThere)(isThere ? 'helm_rollback' : `helm_rollback ${withoutAnsible}`, () => {
  const deployed = (revision: number, description = 'Upgrade complete') => ({
    revision,
    status: 'deployed',
    description,
  });

  it('goes back to a revision and waits for it (R6.2)', () => {
    const done = rollBack(
      { now: { revision: 4, status: 'failed', description: '' }, later: deployed(5, 'Rollback to 3') },
      { revision: 3 },
    );
    expect(done).toMatchObject({ changed: true, before: { revision: 4 }, after: { revision: 5 } });
    expect(done.calls).toContain('rollback argocd 3 --wait --timeout 10m');
  });

  it('does nothing when the revision is the present one, or Helm has gone back to it by itself', () => {
    for (const now of [deployed(3), deployed(5, 'Rollback to 3')]) {
      const done = rollBack({ now }, { revision: 3 });
      expect(done).toMatchObject({ changed: false, before: now });
      expect(done.calls).toEqual([expect.stringMatching(/^history/)]);
    }
  });

  it('applies the present revision again when asked, for what somebody has deleted', () => {
    const done = rollBack({ now: deployed(3), later: deployed(4, 'Rollback to 3') }, { revision: 3, again: true });
    expect(done).toMatchObject({ changed: true, after: { revision: 4 } });
  });

  it('removes a release that was not there before', () => {
    const done = rollBack({ now: { revision: 1, status: 'pending-install', description: '' } }, { revision: 0 });
    expect(done).toMatchObject({ changed: true, after: {} });
    expect(done.calls).toContain('uninstall argocd --wait --timeout 10m');
  });

  it('is content when there is nothing, and nothing is wanted', () => {
    expect(rollBack({}, { revision: 0 })).toMatchObject({ changed: false });
  });

  it('changes nothing in check mode, but says that it would', () => {
    const done = rollBack({ now: deployed(4) }, { revision: 3 }, '--check');
    expect(done).toMatchObject({ changed: true });
    expect(done.calls).toEqual([expect.stringMatching(/^history/)]);
  });

  it('says that there is no release to go back with', () => {
    expect(rollBack({}, { revision: 3 })).toMatchObject({
      failed: true,
      msg: expect.stringContaining('There is no release argocd'),
    });
  });

  it('does not take Helm’s word for it', () => {
    const done = rollBack(
      { now: deployed(4), later: { revision: 5, status: 'failed', description: 'Rollback to 3' } },
      { revision: 3 },
    );
    expect(done).toMatchObject({ failed: true, msg: expect.stringContaining('revision 5 is failed') });
  });
});

interface Done extends Readonly<Record<string, unknown>> {
  readonly calls: readonly string[];
}

/** Runs the module with a Helm that keeps its history in a file. */
function rollBack(history: { now?: object; later?: object }, parameters: object, ...flags: readonly string[]): Done {
  const { now, later } = history;
  const folder = scratchFolder({
    ...(now === undefined ? {} : { history: JSON.stringify([now]) }),
    ...(later === undefined ? {} : { later: JSON.stringify([later]) }),
    calls: '',
    'bin/helm': fakeHelm,
  });
  const helm = join(folder, 'bin', 'helm');
  const words = JSON.stringify({ name: 'argocd', namespace: 'argocd', binary_path: helm, ...parameters });
  const { code, out, err } = ansible(
    'ansible',
    ['localhost', ...here(), '-m', 'helm_rollback', '-a', words, ...flags],
    folder,
    { ANSIBLE_CALLBACK_RESULT_FORMAT: 'json' },
  );
  const start = out.indexOf('=> {') + 3;
  if (start < 3) throw new Error(`helm_rollback did not run: ${out}${err}`);
  const calls = readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n');
  return { ...(JSON.parse(out.slice(start)) as object), failed: code !== 0, calls };
}

const fakeHelm = `#!/bin/sh
folder=$(dirname "$(dirname "$0")")
echo "$@" >> "$folder/calls"
case "$1" in
  history) if [ -f "$folder/history" ]; then cat "$folder/history"; else echo 'Error: release: not found' >&2; exit 1; fi ;;
  rollback) cp "$folder/later" "$folder/history" ;;
  uninstall) rm "$folder/history" ;;
esac
`;
