import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { tell } from './fake-io.fixture.ts';

const folder = mkdtempSync(join(tmpdir(), 'tiphys-'));
afterAll(() => rmSync(folder, { recursive: true }));

const environment = 'name: e\ndomain: example.com\ngitRepository: https://git.example.com/p.git\ngitRevision: main\n';

describe('what goes wrong before anything is done: exit 3, one sentence, and what to do', () => {
  it('a typo in --scope', async () => {
    expect(await tell(['deploy', 'platforms/hello', '--sandbox', '--scope', 'app:databse'])).toMatchInlineSnapshot(`
      {
        "err": "error: there is no app called “databse”; did you mean “database”?
        Use --scope platform, stack:<name> or app:<name> with a name from dag.yaml.
      ",
        "exitCode": 3,
        "out": "",
      }
    `);
    expect((await tell(['deploy', 'platforms/hello', '--sandbox', '--scope', 'web'])).err).toMatchInlineSnapshot(`
      "error: --scope cannot be “web”
        Use platform, stack:<name> or app:<name>.
      "
    `);
  });

  it('an unknown option, an unknown command, one argument too many', async () => {
    expect((await tell(['deploy', 'platforms/hello', '--sandbx'])).err).toMatchInlineSnapshot(`
      "error: unknown option '--sandbx'
      (Did you mean --sandbox?)
      "
    `);
    expect((await tell(['deplyo'])).err).toMatchInlineSnapshot(`
      "error: unknown command 'deplyo'
      (Did you mean deploy?)
      "
    `);
    for (const args of [['deplyo'], ['deploy', '--sandbx'], ['check', 'a', 'b'], []]) {
      const { exitCode, out } = await tell(args);
      expect([args, exitCode, out]).toEqual([args, 3, '']);
    }
  });

  it('a folder that is not there', async () => {
    expect((await tell(['deploy', 'platforms/nope', '--sandbox'])).err).toMatchInlineSnapshot(`
      "error: platforms/nope/dag.yaml does not exist
        A platform is a folder with dag.yaml and environment.yaml; platforms/hello is a small one to start from.
      "
    `);
  });

  it('an empty file', async () => {
    const { err, exitCode } = await tell(['deploy', '.', '--sandbox'], { cwd: platform('') });
    expect(exitCode).toBe(3);
    expect(err).toMatchInlineSnapshot(`
      "error: . has problems
      dag.yaml:1:1: error: The file is empty.
          Start from the same file of an example platform.
        Mend them and run \`tiphys check\` to see what is left.
      "
    `);
  });

  it('a cycle, with every edge and where it was declared', async () => {
    const dag =
      'apiVersion: tiphys.dev/v1\nkind: Platform\nname: loop\nstacks:\n  s:\n    apps:\n      a: { needs: [b] }\n      b: { needs: [a] }\n';
    const { err, exitCode } = await tell(['plan', '.', '--sandbox'], { cwd: platform(dag) });
    expect(exitCode).toBe(3);
    expect(err).toMatchInlineSnapshot(`
      "error: . has problems
      dag.yaml:7:20: error: These 2 need each other in a circle, so that none could ever start:
          "a" needs "b" (dag.yaml:7:20)
          "b" needs "a" (dag.yaml:8:20)
          If "a" needs only the CRDs of "b", write b#crds instead of b there and add parts: { crds: { kinds: [CustomResourceDefinition] } } to "b"; otherwise remove one of these needs, or make it soft: { app: b, edge: soft }.
        Mend them and run \`tiphys check\` to see what is left.
      "
    `);
  });

  it('a typo in a fault, and in the app it is for', async () => {
    expect(
      (await tell(['deploy', 'platforms/hello', '--sandbox', '--fault', 'web=degradd'])).err,
    ).toMatchInlineSnapshot(`
      "error: --fault: \`degradd\` is not a fault that the sandbox knows; it knows degraded, never-healthy, sync-fails, sealed, empty, stuck-finalizer, sync-fails:<times>.
      "
    `);
    expect(
      (await tell(['deploy', 'platforms/hello', '--sandbox', '--fault', 'wbe=degraded'])).err,
    ).toMatchInlineSnapshot(`
      "error: --fault: there is no app called “wbe”
        Did you mean “web”?
      "
    `);
  });

  it('a fault without the sandbox: a real cluster is not touched by mistake', async () => {
    expect(await tell(['deploy', 'platforms/hello', '--fault', 'web=degraded'])).toMatchInlineSnapshot(`
      {
        "err": "error: --fault is for the sandbox only
        Add --sandbox, or leave it out to use the real cluster.
      ",
        "exitCode": 3,
        "out": "",
      }
    `);
  });

  it('a teardown without its confirmation, or with another name (R7.8)', async () => {
    expect((await tell(['teardown', 'platforms/hello', '--sandbox'])).err).toMatchInlineSnapshot(`
      "error: teardown removes things and needs your word for it
        If you mean it: --confirm hello. To see first what would go: --dry-run.
      "
    `);
    expect(await tell(['teardown', 'platforms/hello', '--sandbox', '--confirm', 'helo'])).toMatchObject({
      exitCode: 3,
      err: expect.stringContaining('--confirm says “helo”, the platform is called “hello”'),
    });
  });

  it('no kubeconfig', async () => {
    expect(await tell(['deploy', 'platforms/hello'])).toMatchInlineSnapshot(`
      {
        "err": "error: there is no kubeconfig at /home/nobody/.kube/config
        Pass --kubeconfig <file>, or set KUBECONFIG, or try the embedded cluster with --sandbox.
      ",
        "exitCode": 3,
        "out": "",
      }
    `);
  });

  it('an app whose needs are not there (R2.6)', async () => {
    const { err, exitCode, out } = await tell([
      'deploy',
      'platforms/hello',
      '--sandbox',
      '--scope',
      'app:web',
      '--log-level',
      'error',
    ]);
    expect([exitCode, out]).toEqual([3, '']);
    expect(err).toMatchInlineSnapshot(`
      "error: nothing was done
      platforms/hello/dag.yaml:23:13: error: web needs database, which is not Healthy: Application missing
          Deploy database first, or add --with needs to bring everything web needs along.
      "
    `);
  });

  it('a form that a result does not have', async () => {
    for (const args of [
      ['check', '-o', 'html'],
      ['status', '-o', 'markdown'],
      ['explain', 'web', '-o', 'html'],
      ['plan', '-o', 'html'],
    ]) {
      const [command = '', ...rest] = args;
      const names = command === 'explain' ? ['web', 'platforms/hello', ...rest.slice(1)] : ['platforms/hello', ...rest];
      const { exitCode, out } = await tell([command, ...names, ...(command === 'check' ? [] : ['--sandbox'])]);
      expect([command, exitCode, out]).toEqual([command, 3, '']);
    }
  });

  it('leaving a run alone that nobody else would do', async () => {
    const embedded = await tell(['deploy', 'platforms/hello', '--sandbox', '--detach']);
    expect([embedded.exitCode, embedded.err]).toEqual([3, expect.stringContaining('Add --engine argo-workflows')]);
    const sandbox = await tell(['deploy', 'platforms/hello', '--sandbox', '--detach', '--engine', 'argo-workflows']);
    expect([sandbox.exitCode, sandbox.err]).toEqual([3, expect.stringContaining('ends with this process')]);
  });
});

describe('a command that was stopped', () => {
  it.each([['deploy'], ['validate'], ['status'], ['plan']])('%s says so and is no bug', async (command) => {
    const stop = AbortSignal.abort('SIGINT');
    const { exitCode, err } = await tell([command, 'platforms/hello', '--sandbox'], { stop });
    expect(exitCode).toBe(1);
    expect(err).toContain('error: stopped');
    expect(err).not.toContain('bug');
  });
});

describe('a bug in Tiphys', () => {
  it('is exit 70 with a stack, and nobody else’s fault', async () => {
    const { exitCode, err } = await tell(['check', 'platforms/hello'], {
      out: () => {
        throw new Error('the printer is on fire');
      },
    });
    expect(exitCode).toBe(70);
    expect(err).toMatch(
      /^This is a bug in Tiphys\. Please report it with what follows\.\nError: the printer is on fire\n {4}at /,
    );
  });
});

function platform(dag: string): string {
  writeFileSync(join(folder, 'dag.yaml'), dag);
  writeFileSync(join(folder, 'environment.yaml'), environment);
  return folder;
}
