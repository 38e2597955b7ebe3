import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { probePod } from './pod-probe.ts';

/** The programs of an image, and nothing else. */
let image: string;
beforeEach(() => {
  image = mkdtempSync(join(tmpdir(), 'tiphys-probe-'));
  for (const program of ['sh', 'sed', 'tail', 'sleep']) symlinkSync(pathOf(program), join(image, program));
});
afterEach(() => rmSync(image, { recursive: true, force: true }));

const http = 'http://10.0.0.7:5000/v2/';

describe('what the Pod runs', () => {
  it.each([
    ['200', 'Connecting to h (1.2.3.4:80)\n  HTTP/1.1 200 OK\n  Server: x\nsaving to /dev/null'],
    ['401', '  HTTP/1.0 401 Unauthorized\nwget: server returned error: HTTP/1.0 401 Unauthorized'],
    ['503', 'HTTP request sent, awaiting response... \n  HTTP/1.1 503 Service Unavailable\nERROR 503: no.'],
    ['200', '  HTTP/1.1 301 Moved Permanently\nConnecting to h\n  HTTP/2 200 OK'],
    ['000', "Connecting to h (1.2.3.4:80)\nwget: can't connect to remote host (1.2.3.4): Connection refused"],
    ['000', "wget: bad address 'h'"],
    ['000', 'Resolving h (h)... failed: Name or service not known.'],
    ['000', 'Connecting to h (1.2.3.4:443)\nwget: error getting response: Connection reset by peer'],
    ['---', 'Connecting to h\nwget: TLS error from peer (alert code 40): handshake failure'],
    ['---', 'wget: not an http or ftp url: https://h/'],
    ['---', "wget: unrecognized option '--no-check-certificate'\nUsage: wget [-cqS] URL"],
    // Fallen over one of its options.
    ['---', ''],
  ])('reads %s out of what a wget says', async (answer, words) => {
    program('wget', `cat <<'END' >&2\n${words}\nEND\nexit 1`);
    symlinkSync(pathOf('cat'), join(image, 'cat'));
    expect(await told(http)).toEqual([`1 ${answer}`]);
  });

  it('asks wget for nothing that some of them do not have, how long to wait among it', async () => {
    program('wget', 'echo "$*" > "$0.said"; echo "  HTTP/1.1 200 OK" >&2');
    expect(await told(`${http}?a=$HOME&b=$$`)).toEqual(['1 200']);
    const said = readFileSync(join(image, 'wget.said'), 'utf8');
    expect(said).toBe(`-O /dev/null --no-check-certificate -S ${http}?a=$HOME&b=$$\n`);
  });

  it('prefers curl, and takes it for ports', async () => {
    program('wget', 'exit 1');
    program('curl', 'case "$*" in *telnet*:22) echo 0.000213 ;; *telnet*) echo 0.000000 ;; *) echo 404 ;; esac');
    const answers = await told(http, 'telnet://10.0.0.7:22', 'telnet://10.0.0.7:23');
    expect(answers.sort()).toEqual(['1 404', '2 open', '3 000']);
  });

  it('says of each address that there is no program for it', async () => {
    expect((await told(http, 'telnet://10.0.0.7:22')).sort()).toEqual(['1 ---', '2 ---']);
  });

  it('ends by itself when nobody has patience, and takes whoever has told nothing for silent', async () => {
    program('wget', `exec ${pathOf('sleep')} 60`);
    rmSync(join(image, 'sleep'));
    program('sleep', '');
    expect(await told(http)).toEqual(['1 000']);
  });
});

/** Runs the Pod's command as a node would, and gives the lines it has left. */
async function told(...urls: readonly string[]): Promise<string[]> {
  const log = join(image, 'termination-log');
  const { spec } = probePod({ name: 'n', namespace: 'ns', image: 'i', urls }) as {
    spec: { containers: { command: string[] }[] };
  };
  const words = (spec.containers[0]?.command ?? []).map((word) =>
    word.replaceAll('$$', () => '$').replace('/dev/termination-log', log),
  );
  // In a group of its own: in a Pod everything ends with the first process.
  const child = spawn(join(image, 'sh'), words.slice(1), { env: { PATH: image }, detached: true, stdio: 'ignore' });
  try {
    await once(child, 'exit');
  } finally {
    process.kill(-(child.pid ?? Number.NaN), 'SIGKILL');
  }
  return readFileSync(log, 'utf8').trimEnd().split('\n');
}

function program(name: string, script: string): void {
  writeFileSync(join(image, name), `#!${pathOf('sh')}\n${script}\n`);
  chmodSync(join(image, name), 0o755);
}

function pathOf(name: string): string {
  return spawnSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).stdout.trim();
}
