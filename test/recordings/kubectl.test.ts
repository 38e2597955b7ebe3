import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ServedApi } from '../../src/sandbox/api/serve-http.ts';
import { serveHttp } from '../../src/sandbox/api/serve-http.ts';
import { scaledTime, virtualTime } from '../../src/sandbox/time.ts';
import { protobufBody } from './protobuf-body.ts';
import { replayCluster } from './replay-cluster.ts';

interface RecordedCommand {
  readonly case: string;
  readonly command: string;
  readonly requests: readonly {
    readonly method: string;
    readonly path: string;
    readonly accept?: string;
    readonly contentType?: string;
    readonly body?: unknown;
    readonly status: number;
    readonly responseContentType?: string;
  }[];
}

const recorded = readFileSync(new URL('./kubectl.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as RecordedCommand);

const applications = '/apis/argoproj.io/v1alpha1/namespaces/api-kubectl/applications';
const configMaps = '/api/v1/namespaces/api-kubectl/configmaps';

describe('the sandbox answers the requests of recorded kubectl commands with the recorded status and type', () => {
  const time = virtualTime();
  const { handle, store } = replayCluster(time);
  const failures = new Map<string, string[]>();

  async function send(request: RecordedCommand['requests'][number]): Promise<{ status: number; type: string }> {
    const closing = new AbortController();
    const answer = await handle({
      method: request.method,
      path: request.path.replace(/resourceVersion=\d{5}/, `resourceVersion=${store.revision}`),
      headers: headersOf(request),
      ...bodyOf(request),
      signal: closing.signal,
    });
    if (request.path.includes('watch=true')) closing.abort();
    const type = answer.headers['content-type'] ?? '';
    try {
      for await (const _chunk of answer.body);
    } catch (error) {
      if (!closing.signal.aborted) throw error;
    }
    return { status: answer.status, type };
  }

  async function play({ case: name, requests }: RecordedCommand): Promise<void> {
    await prepare(name, send);
    const differences: string[] = [];
    for (const request of requests) {
      const { status, type } = await send(request);
      // The sandbox writes no protobuf; kubectl always takes JSON as well.
      const wanted = request.responseContentType?.replace(/application\/.*protobuf.*/, 'application/json');
      if (status !== request.status) differences.push(`${request.method} ${request.path}: ${status}`);
      if (wanted !== undefined && type !== wanted) differences.push(`${request.path}: ${type}, not ${wanted}`);
    }
    failures.set(name, differences);
  }

  const done = time.run(
    (async () => {
      for (const command of recorded) await play(command);
    })(),
  );

  for (const { case: name, command } of recorded) {
    it(`${name}: ${command}`, async () => {
      await done;
      expect(failures.get(name)).toEqual([]);
    });
  }
});

/** What happened between two recorded commands. */
async function prepare(name: string, send: (request: RecordedCommand['requests'][number]) => Promise<unknown>) {
  const merge = (path: string, body: unknown) =>
    send({ method: 'PATCH', path, contentType: 'application/merge-patch+json', body, status: 200 });
  const make = (application: string, finalizers: readonly string[] = []) =>
    send({ method: 'POST', path: applications, body: applicationNamed(application, finalizers), status: 201 });
  if (name === 'get-applications-all-cold') await make('web');
  if (name === 'apply-server-side-conflict') {
    await merge(`${configMaps}/ss?fieldManager=other`, { data: { a: 'theirs' } });
  }
  if (name === 'wait-jsonpath') await merge(`${applications}/web`, { status: { health: { status: 'Healthy' } } });
  if (name === 'delete-finalizer') await make('held', ['example.com/hold']);
}

function headersOf({ accept, contentType, path }: RecordedCommand['requests'][number]): Record<string, string> {
  const asked = path.includes('accessreviews') ? 'application/vnd.kubernetes.protobuf' : contentType;
  return {
    authorization: 'Bearer admin',
    ...(accept === undefined ? {} : { accept }),
    ...(asked === undefined ? {} : { 'content-type': asked }),
  };
}

function bodyOf({ path, body, contentType }: RecordedCommand['requests'][number]): { body?: string } {
  if (contentType === 'application/vnd.kubernetes.protobuf') return { body: protobufBody(path) };
  if (body === undefined) return {};
  // The recorded version of the object is not ours; without one the write is unconditional.
  return { body: JSON.stringify(body).replace(/,?"resourceVersion":"\d+"/, '') };
}

function applicationNamed(name: string, finalizers: readonly string[]) {
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name, finalizers },
    spec: {
      project: 'default',
      source: { repoURL: 'https://git.example.com/platform.git', path: name },
      destination: { server: 'https://kubernetes.default.svc', namespace: name },
    },
  };
}

const kubectl = findKubectl();
const whyNot = kubectl === undefined ? ' (skipped: no kubectl in PATH and TIPHYS_KUBECTL is not set)' : '';

describe(`a real kubectl works with the served sandbox${whyNot}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'tiphys-kubectl-'));
  const manifest = join(folder, 'web.json');
  let served: ServedApi | undefined;

  beforeAll(async () => {
    if (kubectl === undefined) return;
    // kubectl sends no token over plain HTTP.
    const { handle } = replayCluster(scaledTime(100), { open: true });
    served = await serveHttp(handle, { host: '127.0.0.1', port: 0 });
    writeFileSync(join(folder, 'config'), kubeconfig(served.url));
    writeFileSync(manifest, JSON.stringify(applicationNamed('web', [])));
  });
  afterAll(async () => {
    await served?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const run = (...args: string[]): Promise<string> =>
    new Promise((resolve) => {
      const env = { ...process.env, KUBECONFIG: join(folder, 'config'), HOME: folder };
      execFile(kubectl ?? '', args, { env, timeout: 15_000 }, (_error, stdout, stderr) => resolve(stdout + stderr));
    });

  it.runIf(kubectl)('creates, applies, shows, patches and deletes', { timeout: 60_000 }, async () => {
    expect(await run('create', 'namespace', 'demo')).toBe('namespace/demo created\n');
    expect(await run('apply', '-f', manifest)).toBe('application.argoproj.io/web created\n');
    expect(await run('apply', '-f', manifest)).toBe('application.argoproj.io/web unchanged\n');
    expect(await run('get', 'app', 'web')).toMatch(/^NAME +SYNC STATUS +HEALTH STATUS\nweb/);
    expect(await run('describe', 'app', 'web')).toContain('Repo URL:');
    const patch = '{"spec":{"project":"other"}}';
    expect(await run('patch', 'app', 'web', '--type=merge', '-p', patch)).toBe('application.argoproj.io/web patched\n');
    expect(await run('apply', '--server-side', '-f', manifest)).toContain('conflict with "kubectl-patch"');
    expect(await run('delete', 'app', 'web')).toContain('"web" deleted');
    expect(await run('delete', 'namespace', 'demo')).toContain('"demo" deleted');
    expect(await run('auth', 'can-i', 'list', 'secrets', '--as', 'somebody')).toBe('no\n');
  });

  it.runIf(kubectl)('watches', { timeout: 30_000 }, async () => {
    await run('apply', '-f', manifest);
    const watching = run('wait', 'app/web', '--for=jsonpath={.status.health.status}=Healthy', '--timeout=10s');
    const healthy = '{"status":{"health":{"status":"Healthy"}}}';
    await run('patch', 'app', 'web', '--type=merge', '-p', healthy);
    expect(await watching).toBe('application.argoproj.io/web condition met\n');
  });
});

function findKubectl(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'kubectl'));
  return [process.env['TIPHYS_KUBECTL'], ...folders].find((path) => path !== undefined && existsSync(path));
}

function kubeconfig(server: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'sandbox',
    clusters: [{ name: 'sandbox', cluster: { server } }],
    users: [{ name: 'admin', user: {} }],
    contexts: [{ name: 'sandbox', context: { cluster: 'sandbox', user: 'admin', namespace: 'argocd' } }],
  });
}
