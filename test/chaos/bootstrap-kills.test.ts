import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bootstrapRoles } from '../../src/core/bootstrap/roles.ts';
import { type BrokenBed, brokenBed, platform } from '../real/bootstrap-breaks.ts';
import { canBootstrap, helmRevisions, tiphysOn, whyNot } from '../real/bootstrap-run.ts';
import { argo } from '../real/empty-bed.ts';
import type { Running } from '../real/program.ts';
import { eventually } from '../real/waiting.ts';

const patience = 400_000;
const roles = bootstrapRoles.map(({ name }) => name);
const probes = [`${argo}/argocd/applications/tiphys-bootstrap-test`, `${argo}/argo/workflows/tiphys-bootstrap-test`];

/** A bootstrap with a folder of its own, which everybody it starts carries in its environment or its words. */
interface Run extends Running {
  readonly scratch: string;
}

// Each run takes up what the one before has left, and is killed further on.
describe.runIf(canBootstrap).sequential(`a bootstrap that is killed in each of its roles${whyNot}`, () => {
  let bed: BrokenBed;

  beforeAll(async () => {
    bed = await brokenBed('chaos-bootstrap');
  }, patience);

  afterAll(() => bed?.close(), patience);

  describe.each(roles)('%s', (role) => {
    it(
      'takes everything that it started along when only tiphys is killed, its keys, too (R3.8, R7.5)',
      async () => {
        const run = await untilItDoes(role, /^apply: /);
        run.child.kill('SIGKILL');
        expect(await run.ended).toBeNull();
        await allGone(run);
        expect(readdirSync(run.scratch).filter((name) => name.startsWith('tiphys-'))).toEqual([]);
      },
      patience,
    );

    it(
      'says so, exits 1 and leaves nobody behind when the process group of Ansible is killed at work',
      async () => {
        const run = await untilItDoes(role, atWork(role));
        if (role !== 'gitops-handoff') await pending();
        process.kill(-ansibleOf(run), 'SIGKILL');
        expect(await run.ended, run.said.err).toBe(1);
        await allGone(run);
        const failure = eventsOf(run).find(({ type }) => type === 'node-failed');
        expect(failure).toMatchObject({
          node: role,
          because: expect.stringMatching(/ansible-playbook was ended by a signal during apply: .* without a result/),
          hint: expect.stringMatching(/^Run the same command again/),
        });
        expect(readdirSync(run.scratch).filter((name) => name.startsWith('tiphys-'))).toEqual([]);
      },
      patience,
    );
  });

  it(
    'succeeds in the end, and finishes the probes that a killed run has left in the cluster (R3.8)',
    async () => {
      await leaveProbes();
      await succeeds();
      for (const probe of probes) expect([probe, await bed.client.get(probe)]).toEqual([probe, undefined]);
    },
    patience,
  );

  it(
    'goes back to what was there, and on, after everybody was killed in an upgrade, as when a machine loses power',
    async () => {
      const vars = { argocd_values: { server: { podAnnotations: { killed: 'once' } } } };
      const run = await untilItDoes('argocd', atWork('argocd'), vars);
      await pending();
      killAll(run);
      await run.ended;
      await allGone(run);
      expect((await helmRevisions(bed.client))['argocd/argocd']?.at(-1)?.status).toBe('pending-upgrade');
      await succeeds();
      const server = await bed.client.get<{ spec: object }>(
        '/apis/apps/v1/namespaces/argocd/deployments/argocd-server',
      );
      expect([server !== undefined, JSON.stringify(server?.spec).includes('killed')]).toEqual([true, false]);
    },
    patience,
  );

  /** Exit 0, every release deployed, nothing pending, the root there. */
  async function succeeds(): Promise<void> {
    const run = started({});
    expect(await run.ended, run.said.err + run.said.out).toBe(0);
    const releases = await helmRevisions(bed.client);
    // Its newest record is what a release is; in Helm's history an interrupted revision stays interrupted.
    expect(Object.fromEntries(Object.entries(releases).map(([name, all]) => [name, all.at(-1)?.status]))).toEqual({
      'argocd/argocd': 'deployed',
      'argo/argo-workflows': 'deployed',
      'argo/tiphys': 'deployed',
      'argo-events/argo-events': 'deployed',
      'sealed-secrets/sealed-secrets': 'deployed',
    });
    expect(await bed.client.get(`${argo}/argocd/applications/hello-root`)).toBeDefined();
  }

  function started(vars: object): Run {
    const scratch = mkdtempSync(join(bed.scratch, 'run-'));
    const file = join(scratch, 'vars.json');
    writeFileSync(file, JSON.stringify({ interrupted_grace_seconds: 4, ...vars }));
    const args = ['bootstrap', platform, '--vars', file, '--events', join(scratch, 'events.jsonl')];
    return { scratch, ...tiphysOn(bed.state, { program: bed.program, args, env: { TMPDIR: scratch } }) };
  }

  /** Starts a bootstrap and returns at the moment when this role does that. */
  async function untilItDoes(role: string, what: RegExp, vars: object = {}): Promise<Run> {
    const run = started(vars);
    await eventually(
      `${role} does ${String(what)}`,
      async () => {
        if (run.child.exitCode !== null) throw new Error(`it ended before that:\n${run.said.err}${run.said.out}`);
        return eventsOf(run).some(({ node, message }) => node === role && message !== undefined && what.test(message));
      },
      240_000,
    );
    return run;
  }

  /** Helm has written down that it is at work. */
  async function pending(): Promise<void> {
    await eventually('a release is pending', async () => {
      const all = Object.values(await helmRevisions(bed.client)).flat();
      return all.some(({ status }) => status.startsWith('pending'));
    });
  }

  async function leaveProbes(): Promise<void> {
    const head = { apiVersion: 'argoproj.io/v1alpha1', metadata: { name: 'tiphys-bootstrap-test' } };
    const source = { repoURL: `file://${bed.state.folder}/repo`, path: 'root', targetRevision: 'main' };
    const destination = { server: 'https://kubernetes.default.svc', namespace: 'argocd' };
    const application = { ...head, kind: 'Application', spec: { project: 'default', source, destination } };
    await bed.client.create(`${argo}/argocd/applications`, application);
    const templates = [{ name: 'wait', suspend: { duration: '1' } }];
    await bed.client.create(`${argo}/argo/workflows`, {
      ...head,
      kind: 'Workflow',
      spec: { entrypoint: 'wait', templates },
    });
  }
});

/** The task in which a role changes the cluster. */
function atWork(role: string): RegExp {
  return role === 'gitops-handoff' ? /^apply: Write Application hello-root/ : /^apply: Install the chart /;
}

interface Told {
  readonly type: string;
  readonly node?: string;
  readonly message?: string;
}

/** What the run has written down so far; its last line may still be on its way. */
function eventsOf({ scratch }: Run): Told[] {
  if (!readdirSync(scratch).includes('events.jsonl')) return [];
  const lines = readFileSync(join(scratch, 'events.jsonl'), 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Told);
}

/** Everybody alive who has the run's own folder in the environment or among the words. */
function familyOf({ scratch }: Run): { readonly pid: number; readonly words: string }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => ({
      pid: Number(pid),
      words: textOf(pid, 'cmdline'),
      all: textOf(pid, 'cmdline') + textOf(pid, 'environ'),
    }))
    .filter(({ all }) => all.includes(scratch));
}

function textOf(pid: string, file: 'cmdline' | 'environ' | 'stat'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    // Ended while we looked, or somebody else's.
    return '';
  }
}

/** The one that our program itself has started, and whose group carries its number. */
function ansibleOf(run: Run): number {
  const family = familyOf(run);
  const leader = family.find(({ pid, words }) => words.includes('ansible-playbook') && parentOf(pid) === run.child.pid);
  if (leader === undefined) throw new Error(`no ansible-playbook among:\n${family.map(wordsOf).join('\n')}`);
  return leader.pid;
}

/** `pid (name) state parent …` */
function parentOf(pid: number): number {
  const stat = textOf(String(pid), 'stat');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}

function wordsOf({ words }: { readonly words: string }): string {
  return words.replaceAll('\0', ' ');
}

/** The youngest first, so that nobody has the time to answer the death of whom it has started. */
function killAll(run: Run): void {
  const pids = familyOf(run).map(({ pid }) => pid);
  for (const pid of pids.sort((a, b) => b - a)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      // Has ended by itself in the meantime.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

async function allGone(run: Run): Promise<void> {
  await eventually('everybody has ended whom the run had started', async () => familyOf(run).length === 0).catch(() => {
    expect(familyOf(run).map(wordsOf)).toEqual([]);
  });
}
