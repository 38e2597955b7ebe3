import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { stringify } from 'yaml';
import type { ContractCharts } from './cluster.ts';

const run = promisify(execFile);

/** A Helm repository on loopback: packed charts and their index. */
export function chartServer(folder: string): ContractCharts & { close(): void } {
  let server: Server | undefined;
  const entries: Record<string, object[]> = {};
  return {
    async publish({ name, version, files }) {
      for (const [file, text] of Object.entries(files)) {
        const path = join(folder, name, file);
        await mkdir(dirname(path), { recursive: true });
        await writeFile(path, text);
      }
      const archive = `${name}-${version}.tgz`;
      await run('tar', ['-C', folder, '-czf', join(folder, archive), name]);
      entries[name] = [...(entries[name] ?? []), { apiVersion: 'v2', name, version, urls: [archive] }];
      await writeFile(join(folder, 'index.yaml'), stringify({ apiVersion: 'v1', entries }));
      server ??= await serve(folder);
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    },
    close: () => server?.close(),
  };
}

async function serve(folder: string): Promise<Server> {
  const server = createServer((request, response) => {
    // Only the name counts: nothing outside the folder can be asked for.
    readFile(join(folder, basename(request.url ?? ''))).then(
      (content) => response.end(content),
      () => response.writeHead(404).end(),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}
