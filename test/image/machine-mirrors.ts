import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** From where this machine gets its packages, as the Dockerfile and the assembly are told: what it does not say is left out. */
export function machineMirrors(suite: string): Readonly<Record<string, string>> {
  const mirrors = {
    DEBIAN_MIRROR: process.env['DEBIAN_MIRROR'] || debianMirror(suite),
    DEBIAN_SECURITY_MIRROR: process.env['DEBIAN_SECURITY_MIRROR'] || debianMirror(`${suite}-security`),
    NPM_CONFIG_REGISTRY: ask('npm', ['config', 'get', 'registry']),
    GOPROXY: ask('go', ['env', 'GOPROXY']),
    PIP_INDEX_URL: process.env['PIP_INDEX_URL'] || ask('python3', ['-m', 'pip', 'config', 'get', 'global.index-url']),
  };
  return Object.fromEntries(Object.entries(mirrors).filter(([, value]) => value !== ''));
}

/** The authorities that this machine trusts, its company's among them. */
export function machineAuthorities(): string | undefined {
  const files = [process.env['SSL_CERT_FILE'] ?? '', '/etc/ssl/certs/ca-certificates.crt'];
  return files.find((file) => existsSync(file));
}

/** As apt understands its own settings, in whichever of its formats they are written. */
function debianMirror(suite: string): string {
  const words = ['indextargets', '--format', '$(RELEASE) $(REPO_URI)', 'Created-By: Packages'];
  const lines = ask('apt-get', words).split('\n');
  const found = lines.map((line) => line.split(' ')).find(([release]) => release === suite);
  return (found?.[1] ?? '').replace(/\/$/, '');
}

function ask(program: string, words: readonly string[]): string {
  const { status, stdout } = spawnSync(program, words, { encoding: 'utf8', timeout: 60_000 });
  return status === 0 ? stdout.trim() : '';
}
