import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Platform } from '../../src/core/platform/platform.ts';
import type { Testbed } from '../../testbed/testbed.ts';
import { writeRepository } from '../../testbed/world/write-repository.ts';

/** Git on loopback, outside of every cluster, and only for who knows the password. */
export interface GitServer {
  readonly url: string;
  readonly repository: string;
  /** May change at any moment. */
  password: string;
  /** The addresses of all requests that were let in. */
  readonly read: readonly string[];
  close(): void;
}

export async function serveGit(
  folder: string,
  { username, password }: { readonly username: string; readonly password: string },
): Promise<GitServer> {
  const read: string[] = [];
  const server = createServer((request, response) => {
    const login = Buffer.from(`${username}:${git.password}`).toString('base64');
    if (request.headers.authorization !== `Basic ${login}`)
      return void response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
    read.push(request.url ?? '');
    answer(folder, request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const git = {
    url: `http://127.0.0.1:${port}/platform.git`,
    repository: join(folder, 'platform.git'),
    password,
    read,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  return git;
}

/** Git's own program answers, as it does behind any web server (CGI). Nobody may push. */
function answer(folder: string, request: IncomingMessage, response: ServerResponse): void {
  const { pathname, search } = new URL(request.url ?? '/', 'http://127.0.0.1');
  const { headers } = request;
  const child = spawn('git', ['http-backend'], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: {
      PATH: process.env['PATH'] ?? '',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_PROJECT_ROOT: folder,
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_PROTOCOL: String(headers['git-protocol'] ?? ''),
      REQUEST_METHOD: request.method ?? 'GET',
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      CONTENT_TYPE: headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: headers['content-encoding'] ?? '',
    },
  });
  // It may have heard enough before everything was said.
  child.stdin.on('error', () => undefined);
  request.pipe(child.stdin);
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.once('close', () => pass(Buffer.concat(chunks), response));
}

/** First fields, one a line, then an empty line and the rest. */
function pass(said: Buffer, response: ServerResponse): void {
  const end = said.indexOf('\r\n\r\n');
  if (end < 0) return void response.writeHead(500).end();
  const lines = said.subarray(0, end).toString().split('\r\n');
  const fields = new Map(lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]));
  const status = Number.parseInt(fields.get('Status') ?? '200', 10);
  response.writeHead(status, Object.fromEntries(fields)).end(said.subarray(end + 4));
}

/** Commits what was published into the testbed's own repository to this one, with its address in the Applications. */
export async function writeBehind(
  { repository, url }: GitServer,
  testbed: Pick<Testbed, 'folder'>,
  { environment }: Platform,
): Promise<void> {
  const published = join(testbed.folder, 'repo');
  const own = pathToFileURL(published).href;
  const entries = readdirSync(published, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !relative(published, file).startsWith('.git/'))
    .map((file) => [relative(published, file), readFileSync(file, 'utf8').replaceAll(own, url)] as const);
  await writeRepository(repository, { files: new Map(files), branches: [environment.gitRevision] });
}
