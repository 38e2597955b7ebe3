import { readFileSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { heldIn, windowsOf } from '../../src/adapters/argocd/hold-window.ts';
import type { KubeClient } from '../../src/adapters/kubernetes/client.ts';
import type { Platform } from '../../src/core/platform/platform.ts';
import type { Report } from '../../src/core/report/report.ts';
import type { RunEvent } from '../../src/core/run/events.ts';
import { type AuditEntry, readAudit } from '../../testbed/audit/read-audit.ts';
import { type Write, writesOf as writesBy } from '../../testbed/audit/writes-of.ts';
import { exportsOf } from '../../testbed/cluster/exports.ts';
import type { TestbedState } from '../../testbed/cluster/state.ts';
import { openTestbed } from '../../testbed/world/open-testbed.ts';
import { findAnsible, withoutAnsible } from '../bootstrap/ansible.ts';
import { argo, helmFolder, type Named } from './empty-bed.ts';
import { type Running, startProgram } from './program.ts';
import type { Ended } from './testbed.ts';
import { eventually } from './waiting.ts';

const ansibleFolder = findAnsible();

/** Whether a bootstrap can run on this machine, and the reason to print if not. */
export const canBootstrap = helmFolder !== undefined && ansibleFolder !== undefined;
export const whyNot = canBootstrap
  ? ''
  : ` ${helmFolder === undefined ? '(skipped: helm is neither in TIPHYS_TESTBED_BIN nor in PATH)' : withoutAnsible}`;

export interface ProgramOrder {
  /** What buildProgram has made. */
  readonly program: string;
  readonly args: readonly string[];
  /** What somebody has set besides what `testbed env` tells. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts our program as a person would after `eval "$(testbed env)"`, with helm, kubectl and Ansible at hand and nothing else of the test's environment. */
export function tiphysOn(state: TestbedState, { program, args, env = {} }: ProgramOrder): Running {
  return startProgram(program, args, { ...Object.fromEntries(exportsOf(state)), ...tools(), ...env });
}

function tools(): Record<string, string> {
  const folders = [helmFolder ?? '', process.env['PATH'] ?? ''].filter((one) => one !== '');
  return { PATH: folders.join(delimiter), TIPHYS_ANSIBLE: ansibleFolder ?? '' };
}

/** Runs it to its end and reads its report and its events. */
export async function tiphysToItsEnd(state: TestbedState, order: ProgramOrder): Promise<Ended> {
  const file = join(state.folder, 'events.jsonl');
  const { said, ended } = tiphysOn(state, { ...order, args: [...order.args, '-o', 'json', '--events', file] });
  const exitCode = await ended;
  // A preflight that says no has a report of its own kind.
  if (!/"kind":\s*"Report"/.test(said.out))
    throw new Error(`it ended with ${exitCode} and without the report of a run:\n${said.err}${said.out}`);
  const lines = readFileSync(file, 'utf8').split('\n');
  rmSync(file);
  return {
    exitCode,
    report: JSON.parse(said.out) as Report,
    events: lines.filter((line) => line !== '').map((line) => JSON.parse(line) as RunEvent),
    err: said.err,
  };
}

export interface HelmRevision {
  readonly revision: number;
  readonly status: string;
}

/** Helm's own records: of each release, as `namespace/release`, every revision it remembers, oldest first. */
export async function helmRevisions(client: KubeClient): Promise<Readonly<Record<string, readonly HelmRevision[]>>> {
  const { items } = await client.list<HelmRecord>('/api/v1/secrets', {
    labelSelector: 'owner=helm',
    fieldSelector: 'type=helm.sh/release.v1',
  });
  const found: Record<string, HelmRevision[]> = {};
  for (const { metadata } of items) {
    const { name = '', version = '', status = '' } = metadata.labels;
    const release = `${metadata.namespace}/${name}`;
    found[release] = [...(found[release] ?? []), { revision: Number(version), status }];
  }
  for (const revisions of Object.values(found)) revisions.sort((a, b) => a.revision - b.revision);
  return found;
}

interface HelmRecord {
  readonly metadata: {
    readonly namespace: string;
    readonly labels: { readonly name?: string; readonly version?: string; readonly status?: string };
  };
}

/** Who a run of ours is to the API server. What a test writes itself it writes as somebody else: `openTestbed(state, 'kubelet')`. */
const person = 'testbed-admin';

/** Everything the API server has answered since this moment (milliseconds since the epoch), up to now. */
export async function auditSince({ folder }: TestbedState, since: number): Promise<AuditEntry[]> {
  const { client, close } = await openTestbed({ folder }, 'kubelet');
  try {
    // The log is written a moment after the answer: when a request made now stands in it, so does everything before.
    const mark = `mark-${Date.now()}`;
    await client.delete(`/api/v1/namespaces/default/configmaps/${mark}`);
    return await eventually('the audit log holds what has just been asked', async () => {
      const entries = readAudit(join(folder, 'audit.log'), since);
      const isUpToNow = entries.some(({ name }) => name === mark);
      return isUpToNow && entries.filter(({ name }) => name !== mark);
    });
  } finally {
    close();
  }
}

/** What a run of ours has asked the cluster to change since this moment. Questions about rights change nothing, and a lease or an event nothing of the platform. */
export async function writesOf(state: TestbedState, since: number): Promise<Write[]> {
  const entries = await auditSince(state, since);
  const changes = entries.filter(({ resource }) => !/^(leases|events|self\w*reviews)$/.test(resource));
  return writesBy(changes, person);
}

/** INV-1 at the hand-over, by the cluster's own order: of each time that the root was created, whether it was held at that moment. */
export function heldWhenCreated(entries: readonly AuditEntry[], { name, root }: Platform): boolean[] {
  const written = entries.filter(({ group, code, isTrial }) => group === 'argoproj.io' && code < 300 && !isTrial);
  const projects = written
    .filter((entry) => entry.resource === 'appprojects' && entry.name === 'default')
    .sort((a, b) => revisionOf(a) - revisionOf(b));
  return written
    .filter((entry) => entry.resource === 'applications' && entry.name === root && entry.code === 201)
    .map((creation) => projects.findLast((project) => revisionOf(project) < revisionOf(creation)))
    .map((project) => heldIn(windowsOf(project?.object), name).includes(root ?? ''));
}

function revisionOf({ object }: AuditEntry): number {
  return Number(object?.metadata.resourceVersion);
}

export interface Application extends Named {
  readonly spec: unknown;
  readonly status?: {
    readonly sync?: { readonly status?: string; readonly revision?: string };
    readonly health?: { readonly status?: string };
    readonly resources?: readonly { readonly kind: string; readonly namespace?: string; readonly name: string }[];
  };
}

/** What runs of ours have brought, in words that two clusters can have in common. */
export interface Brought {
  readonly applications: Readonly<Record<string, { readonly is: string }>>;
  /** Helm's revisions of each release. */
  readonly releases: unknown;
  /** What bootstrap has noted: whose cluster it is, and the charts' versions. */
  readonly mark: unknown;
}

export async function brought(client: KubeClient): Promise<Brought> {
  const { items } = await client.list<Application>(`${argo}/argocd/applications`);
  const words = items.map(({ metadata, spec, status: { sync, health, resources = [] } = {} }) => {
    const objects = resources.map((one) => `${one.kind} ${one.namespace ?? ''}/${one.name}`).sort();
    const is = `${sync?.status} ${health?.status}`;
    return [metadata.name, { is, spec, revision: sync?.revision, objects }] as const;
  });
  const mark = await client.get<{ data: object }>('/api/v1/namespaces/argocd/configmaps/tiphys-bootstrap');
  return { applications: Object.fromEntries(words), releases: await helmRevisions(client), mark: mark?.data };
}

/** The same when all is at rest: a parent's record follows those of its children a moment later. */
export async function broughtToRest(client: KubeClient): Promise<Brought> {
  return eventually('every Application is Synced and Healthy', async () => {
    const now = await brought(client);
    return Object.values(now.applications).every(({ is }) => is === 'Synced Healthy') && now;
  });
}
