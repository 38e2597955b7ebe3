import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { createServer, type Server } from 'node:https';
import { join } from 'node:path';
import type { KubeObject } from '../../src/sandbox/store/objects.ts';
import { argocdUsers } from '../audit/argocd-users.ts';
import type { Testbed } from '../testbed.ts';
import { refusedLabel } from './annotations.ts';
import type { Refusals } from './refusals.ts';

/** Has the API server ask us about objects that are to be refused, and about no others. Without us everything is allowed. */
export function admissionWebhook({ folder, ports }: Pick<Testbed, 'folder' | 'ports'>): KubeObject {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'testbed' },
    webhooks: [
      {
        name: 'scenario.tiphys.dev',
        clientConfig: {
          url: `https://127.0.0.1:${ports.admission}/`,
          caBundle: readFileSync(join(folder, 'pki/ca.crt')).toString('base64'),
        },
        objectSelector: { matchExpressions: [{ key: refusedLabel, operator: 'Exists' }] },
        rules: [
          { apiGroups: ['*'], apiVersions: ['*'], resources: ['*'], operations: ['CREATE', 'UPDATE'], scope: '*' },
        ],
        failurePolicy: 'Ignore',
        timeoutSeconds: 2,
        sideEffects: 'NoneOnDryRun',
        admissionReviewVersions: ['v1'],
      },
    ],
  };
}

/** Answers the API server's questions until the server is closed. */
export async function serveAdmission(testbed: Pick<Testbed, 'folder' | 'ports'>, refusals: Refusals): Promise<Server> {
  const pki = (file: string): Buffer => readFileSync(join(testbed.folder, 'pki', file));
  const server = createServer({ cert: pki('admission.crt'), key: pki('admission.key') }, (request, response) => {
    bodyOf(request).then(
      (text) => {
        const { request: asked } = JSON.parse(text) as { request: AdmissionRequest };
        response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(review(asked, refusals)));
      },
      () => response.destroy(),
    );
  });
  await new Promise<void>((resolve, reject) =>
    server.once('error', reject).listen(testbed.ports.admission, '127.0.0.1', resolve),
  );
  return server;
}

/** The API server is the only one who asks, and it writes them so. */
interface AdmissionRequest {
  readonly uid: string;
  readonly dryRun?: boolean;
  readonly userInfo?: { readonly username?: string };
  readonly object: KubeObject;
}

function review({ uid, dryRun = false, userInfo, object }: AdmissionRequest, refusals: Refusals): object {
  // Only Argo CD's attempts fail; the status that controllers write, and what people mend by hand, go through.
  const isSync = argocdUsers.includes(userInfo?.username ?? '');
  const isRefused = isSync && !dryRun && refusals.refuses(object);
  const message = `${object.kind} ${object.metadata.name} is refused on purpose`;
  return {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    response: { uid, allowed: !isRefused, ...(isRefused ? { status: { code: 403, message } } : {}) },
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
