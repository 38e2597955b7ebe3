import { createReadStream, existsSync, readFileSync, statSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

export interface LayoutServer {
  /** As it stands before the name of an image. */
  readonly address: string;
  close(): void;
}

/** A registry on the loopback that one can only pull from: of each name an OCI layout. Any tag means the image that lies there. */
export async function serveLayouts(layouts: Readonly<Record<string, string>>): Promise<LayoutServer> {
  const server = createServer((request, response) => {
    const [, name = '', kind = '', reference = ''] =
      /^\/v2\/([\w/-]+)\/(manifests|blobs)\/([\w.:-]+)$/.exec(request.url ?? '') ?? [];
    const layout = layouts[name];
    if (request.url === '/v2/') response.writeHead(200).end();
    else if (layout === undefined) response.writeHead(404).end();
    else send(response, { file: blobOf(layout, reference), kind, isHead: request.method === 'HEAD' });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { address: `127.0.0.1:${port}`, close: () => void server.close() };
}

function blobOf(layout: string, reference: string): string {
  const index: { manifests: { digest: string }[] } = JSON.parse(readFileSync(join(layout, 'index.json'), 'utf8'));
  const digest = reference.startsWith('sha256:') ? reference : (index.manifests[0]?.digest ?? '');
  return join(layout, 'blobs', ...digest.split(':'));
}

function send(
  response: ServerResponse,
  { file, kind, isHead }: { readonly file: string; readonly kind: string; readonly isHead: boolean },
): void {
  if (!existsSync(file)) {
    response.writeHead(404).end();
    return;
  }
  const type = kind === 'blobs' ? 'application/octet-stream' : JSON.parse(readFileSync(file, 'utf8')).mediaType;
  response.writeHead(200, {
    'content-type': type,
    'content-length': statSync(file).size,
    'docker-content-digest': `sha256:${file.split('/').at(-1)}`,
  });
  if (isHead) response.end();
  else createReadStream(file).pipe(response);
}
