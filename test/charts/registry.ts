import { createHash } from 'node:crypto';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { loopbackCertificate, loopbackKey } from '../../src/adapters/kubernetes/testing/loopback-certificate.ts';

/** Of each chart its archive, all of version 1.2.3. */
export type Archives = Readonly<Record<string, Buffer>>;

export interface Registry {
  readonly port: number;
  /** Every path that somebody wanted. */
  readonly asked: readonly string[];
  close(): void;
}

/** What Helm asks of a mirror, on the loopback with TLS: the OCI registry `charts/`, and a chart repository at `/repository`. With `login` (`name:password`) only for that one. */
export async function openRegistry(archives: Archives, login?: string): Promise<Registry> {
  const files = new Map(Object.entries(archives).flatMap(([name, archive]) => filesOf(name, archive)));
  const asked: string[] = [];
  const server = createServer({ cert: loopbackCertificate, key: loopbackKey }, (request, response) => {
    const path = (request.url ?? '').split('?')[0] ?? '';
    asked.push(path);
    const expected = login === undefined ? undefined : `Basic ${Buffer.from(login).toString('base64')}`;
    if (expected !== undefined && request.headers.authorization !== expected) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="mirror"' }).end();
      return;
    }
    const found = path === '/repository/index.yaml' ? indexOf(archives) : files.get(path);
    if (found === undefined && path !== '/v2/') response.writeHead(404).end();
    else answer(request.method === 'HEAD', found ?? { type: 'application/json', body: Buffer.from('{}') });

    function answer(isHead: boolean, { type, body }: File): void {
      response.writeHead(200, {
        'content-type': type,
        'content-length': body.length,
        'docker-content-digest': digestOf(body),
      });
      response.end(isHead ? undefined : body);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: (server.address() as AddressInfo).port, asked, close: () => void server.close() };
}

interface File {
  readonly type: string;
  readonly body: Buffer;
}

const manifestType = 'application/vnd.oci.image.manifest.v1+json';

function filesOf(name: string, archive: Buffer): [string, File][] {
  const config = Buffer.from(JSON.stringify({ apiVersion: 'v2', name, version: '1.2.3' }));
  const layer = (mediaType: string, body: Buffer) => ({ mediaType, digest: digestOf(body), size: body.length });
  const manifest = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: manifestType,
      config: layer('application/vnd.cncf.helm.config.v1+json', config),
      layers: [layer('application/vnd.cncf.helm.chart.content.v1.tar+gzip', archive)],
    }),
  );
  const at = `/v2/charts/${name}`;
  const bytes = (body: Buffer): File => ({ type: 'application/octet-stream', body });
  return [
    [`${at}/manifests/1.2.3`, { type: manifestType, body: manifest }],
    [`${at}/manifests/${digestOf(manifest)}`, { type: manifestType, body: manifest }],
    [`${at}/tags/list`, { type: 'application/json', body: Buffer.from(JSON.stringify({ name, tags: ['1.2.3'] })) }],
    [`${at}/blobs/${digestOf(config)}`, bytes(config)],
    [`${at}/blobs/${digestOf(archive)}`, bytes(archive)],
    [`/repository/${name}-1.2.3.tgz`, bytes(archive)],
  ];
}

function indexOf(archives: Archives): File {
  const entries = Object.entries(archives).map(([name, archive]) => [
    name,
    [{ apiVersion: 'v2', name, version: '1.2.3', urls: [`${name}-1.2.3.tgz`], digest: digestOf(archive).slice(7) }],
  ]);
  const body = Buffer.from(JSON.stringify({ apiVersion: 'v1', entries: Object.fromEntries(entries) }));
  return { type: 'application/yaml', body };
}

function digestOf(body: Buffer): string {
  return `sha256:${createHash('sha256').update(body).digest('hex')}`;
}
