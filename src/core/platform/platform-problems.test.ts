import { describe, expect, it } from 'vitest';
import { formatProblems } from './format-problems.ts';
import { environment, problemsOf, read } from './read-platform.fixture.ts';
import { readPlatform } from './read-platform.ts';

describe('problems', () => {
  it('of both files are shown at once, each with its place and a remedy', () => {
    const stacks = `one:
    needs: [three]
    aps: {}
    apps:
      a: { need: [b], timeouts: { sync: 300, health: 5 minutes } }
      b:
        needs: null
      c: { needs: [c, 5, true, { app: b, edg: soft }], type: datbase }
      d: { needs: [valt, "vault#crd", "two#x", Upper], cluster: prod }
      8080: {}
      vault: { parts: { crds: { kinds: [CustomResourceDefinition] } } }
      Upper: {}
  two:
    application: vault
    apps:
      d: {}
      two: {}
      t: 5
      u: { needs: [t, two], probes: [{ http: ftp://x }, {}] }
  none: { apps: {} }
more: 1`;
    const broken =
      'domain: https://x\ngitRepository: https://me:secret@git.example.com/x\ngitRevision: 1.0\nengin: embedded\norder: wave\nparallelism: -1\n';
    expect(problemsOf(stacks, broken)).toMatchInlineSnapshot(`
      "
      dag.yaml:6:13: error: There is no app or stack called "three".
          Add it to a stack, or remove it here.
      dag.yaml:7:5: error: "aps" is not a key that "one" has.
          Did you mean "apps"?
      dag.yaml:9:12: error: "need" is not a key that "a" has.
          Did you mean "needs"?
      dag.yaml:9:41: error: "sync" should be text, but is the number 300.
          Add a unit: 300s.
      dag.yaml:9:54: error: "5 minutes" is not a duration.
          Write a number and a unit, for example 90s, 5m or 1h30m.
      dag.yaml:11:16: error: "needs" has no value.
          Write [] for none, or remove the key.
      dag.yaml:12:23: error: Entry 2 of "needs" should be text, but is the number 5.
          Put it in quotes.
      dag.yaml:12:26: error: Entry 3 of "needs" should be text, but is the boolean true.
          Put it in quotes.
      dag.yaml:12:42: error: "edg" is not a key that "needs" has.
          Did you mean "edge"?
      dag.yaml:12:62: error: "type" cannot be "datbase".
          Did you mean "database"? Write one of simple, operator, database, vault, ceph.
      dag.yaml:13:20: error: There is no app or stack called "valt".
          Did you mean "vault"?
      dag.yaml:13:26: error: App "vault" has no part called "crd".
          Did you mean "vault#crds"?
      dag.yaml:13:39: error: App "two" has no part called "x".
          Declare it in "two": parts: { x: { kinds: [CustomResourceDefinition] } }.
      dag.yaml:13:65: error: App "d" is on cluster "prod", but this platform runs on a cluster without a name.
          Remove the key, or add clusterName: prod to environment.yaml.
      dag.yaml:14:7: error: The key 8080 is read as a number, not as a name.
          Put it in quotes: "8080".
      dag.yaml:15:7: error: Application "vault" is that of app "vault" and of stack "two" (dag.yaml:18:18).
          Give one of them its own Application with "application:".
      dag.yaml:16:7: error: "Upper" is not a usable name.
          A name has lower-case letters, digits and dashes, at most 63, and begins and ends with a letter or digit; for example "upper".
      dag.yaml:17:3: error: Stack "two" has the same name as an app (dag.yaml:21:7).
          Rename one of them: a need on this name would mean both.
      dag.yaml:20:7: error: App "d" is declared twice, in stack "one" (dag.yaml:13:7) and here.
          Remove one, or rename it and give it "application:" with the Application's name.
      dag.yaml:22:10: error: "t" should be a mapping of keys and values, but is the number 5.
          Write a mapping of keys and values.
      dag.yaml:23:46: error: A probe needs an http or https address.
          Write it as http://name.namespace.svc:port/path.
      dag.yaml:23:57: error: "http" is missing.
          Add it, for example http: http://pg.data.svc:8008/health.
      dag.yaml:24:3: error: Stack "none" has no apps.
          Add one under apps, or remove the stack.
      dag.yaml:25:1: error: "more" is not a key that this file has.
          Remove it; the keys are apiVersion, kind, name, root, defaults, stacks.
      environment.yaml:1:1: error: "name" is missing.
          Add it, for example name: production.
      environment.yaml:1:9: error: This is not a domain name.
          Write it as platform.example.com, in lower case and without https://.
      environment.yaml:2:16: error: The address of the Git repository holds a password.
          Remove it; Argo CD has its own repository credentials.
      environment.yaml:3:14: error: "gitRevision" should be text, but is the number 1.
          Put it in quotes.
      environment.yaml:4:1: error: "engin" is not a key that this file has.
          Did you mean "engine"?
      environment.yaml:5:8: error: "order" cannot be "wave".
          Did you mean "waves"? Write one of edges, waves.
      environment.yaml:6:14: error: "parallelism" is too small: -1.
          Give it at least 0.
      "
    `);
  });

  it('never repeat a password of the Git address (R7.5)', () => {
    expect(problemsOf('s: { apps: { a: {} } }', environment.replace('https://', 'https://me:hunter2@'))).not.toContain(
      'hunter2',
    );
  });

  it('name another apiVersion and kind', () => {
    const text = 'apiVersion: tiphys.dev/v2\nkind: Stack\nname: acme\nstacks: { s: { apps: { a: {} } } }\n';
    const { problems } = readPlatform({
      dag: { file: 'dag.yaml', text },
      environment: { file: 'environment.yaml', text: environment },
    });
    expect(formatProblems(problems)).toMatchInlineSnapshot(`
      "dag.yaml:1:13: error: "apiVersion" cannot be "tiphys.dev/v2".
          Write tiphys.dev/v1.
      dag.yaml:2:7: error: "kind" cannot be "Stack".
          Write Platform."
    `);
  });

  it('are shown fifty at a time, errors and warnings each', () => {
    const apps = Array.from({ length: 200 }, (_, at) => `      a${at}: { needs: [zzz${at}] }`).join('\n');
    const { platform, problems } = read(`s:\n    apps:\n${apps}`);
    expect(platform).toBeUndefined();
    expect(problems).toHaveLength(51);
    expect(problems.at(-1)?.what).toBe('and 150 more.');
  });

  it('warn of a layer that needs a higher one, once for each need as written', () => {
    const { platform, problems } = read(
      'low: { apps: { a: { layer: 4 }, b: { layer: 5 } } }\n  top: { needs: [low], apps: { c: { layer: 3 }, d: { layer: 3, needs: [a] } } }',
    );
    expect(platform).toBeDefined();
    expect(formatProblems(problems)).toMatchInlineSnapshot(`
      "dag.yaml:6:18: warning: App "c" is in layer 3 but needs "a" in layer 4.
          Layers are only labels, so this works; change one of them if the need is right.
      dag.yaml:6:72: warning: App "d" is in layer 3 but needs "a" in layer 4.
          Layers are only labels, so this works; change one of them if the need is right."
    `);
  });
});
