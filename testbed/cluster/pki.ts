import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Who the parts of the cluster are; Argo CD has a name of its own, so that the audit log tells its writes from ours. */
export const identities = {
  admin: '/O=system:masters/CN=testbed-admin',
  'controller-manager': '/CN=system:kube-controller-manager',
  scheduler: '/CN=system:kube-scheduler',
  argocd: '/CN=system:argocd',
  kwok: '/CN=system:kwok',
  workflows: '/CN=system:workflows',
  // Of the masters, because an API server that has just come back knows nobody else's rights for a moment.
  kubelet: '/O=system:masters/CN=system:kubelet-part',
} as const;

export type Identity = keyof typeof identities;

/** Makes the authorities, the servers' and everybody's certificates, once. */
export async function makePki(folder: string): Promise<void> {
  await Promise.all([makeOnce(join(folder, 'pki'), makeClusterPki), makeOnce(etcdPki(folder), makeEtcdPki)]);
}

/** Where etcd's certificates stand. Its authority is its own: who may talk to the API server may not pass it by. */
export function etcdPki(folder: string): string {
  return join(folder, 'etcd-pki');
}

/** Half of it is never left behind. */
async function makeOnce(done: string, make: (folder: string) => Promise<void>): Promise<void> {
  if (existsSync(done)) return;
  const making = `${done}.making`;
  rmSync(making, { recursive: true, force: true });
  mkdirSync(making, { recursive: true, mode: 0o700 });
  await make(making);
  renameSync(making, done);
}

async function makeClusterPki(folder: string): Promise<void> {
  await makeAuthority(folder, '/CN=testbed');
  const extension = `${servedAt},IP:10.96.0.1,DNS:kubernetes,DNS:kubernetes.default.svc`;
  await Promise.all([
    makeCertificate(folder, { name: 'server', subject: '/CN=testbed-server', extension }),
    makeCertificate(folder, { name: 'admission', subject: '/CN=testbed-admission', extension }),
    ...Object.entries(identities).map(([name, subject]) =>
      makeCertificate(folder, { name, subject, extension: asClient }),
    ),
    makeTokenKey(folder),
  ]);
}

async function makeEtcdPki(folder: string): Promise<void> {
  await makeAuthority(folder, '/CN=testbed-etcd');
  await Promise.all([
    makeCertificate(folder, { name: 'server', subject: '/CN=testbed-etcd-server', extension: servedAt }),
    makeCertificate(folder, { name: 'client', subject: '/CN=testbed-etcd-client', extension: asClient }),
  ]);
}

const servedAt = 'subjectAltName=IP:127.0.0.1,DNS:localhost';
const asClient = 'extendedKeyUsage=clientAuth';

async function makeAuthority(folder: string, subject: string): Promise<void> {
  await openssl(folder, 'ecparam', '-name', 'prime256v1', '-genkey', '-noout', '-out', 'ca.key');
  await openssl(folder, 'req', '-x509', '-new', '-key', 'ca.key', '-subj', subject, '-days', days, '-out', 'ca.crt');
}

const days = '3650';

async function makeCertificate(
  folder: string,
  { name, subject, extension }: { name: string; subject: string; extension: string },
): Promise<void> {
  writeFileSync(join(folder, `${name}.ext`), `${extension}\n`);
  await openssl(folder, 'ecparam', '-name', 'prime256v1', '-genkey', '-noout', '-out', `${name}.key`);
  await openssl(folder, 'req', '-new', '-key', `${name}.key`, '-subj', subject, '-out', `${name}.csr`);
  const signed = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-set_serial', serial(name), '-days', days];
  await openssl(
    folder,
    'x509',
    '-req',
    '-in',
    `${name}.csr`,
    ...signed,
    '-extfile',
    `${name}.ext`,
    '-out',
    `${name}.crt`,
  );
}

/** Made side by side, so no shared file counts them. */
function serial(name: string): string {
  return `0x${Buffer.from(name).toString('hex').slice(0, 36)}`;
}

async function makeTokenKey(folder: string): Promise<void> {
  await openssl(folder, 'genrsa', '-out', 'tokens.key', '2048');
  await openssl(folder, 'rsa', '-in', 'tokens.key', '-pubout', '-out', 'tokens.pub');
}

async function openssl(folder: string, ...args: string[]): Promise<void> {
  await run('openssl', args, { cwd: folder });
}
