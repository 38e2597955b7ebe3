import { TestbedError } from '../cluster/testbed-error.ts';
import { runProgram } from './run-program.ts';
import { versions } from './versions.ts';

/** Only of programs: the files that come with their sources have to be fetched all the same. */
export const orGivenPrograms = ', or set TIPHYS_TESTBED_BIN to a folder that holds the binaries';

/** The Go that a command would use in a folder, as `go1.26.8-linux-amd64`; `undefined` when there is none. */
export async function goVersion(env: NodeJS.ProcessEnv, cwd: string): Promise<string | undefined> {
  const answer = await runProgram('go', ['env', 'GOVERSION', 'GOOS', 'GOARCH'], { env, cwd });
  if (answer === undefined) return undefined;
  if (answer.exitCode !== 0)
    throw new TestbedError(`"go env" fails: ${answer.stderr.trim()}`, 'mend the installation of Go');
  return answer.stdout.trim().split('\n').join('-');
}

/** What Go is needed for, and what could be done instead. */
interface Purpose {
  readonly to: string;
  readonly instead?: string;
}

/** Throws when there is no Go, or one that is too old. */
export function requireGo(found: string | undefined, { to: purpose, instead = '' }: Purpose): asserts found is string {
  const install = `install Go ${versions.go} or newer from https://go.dev/dl/ and put its bin folder into PATH${instead}`;
  if (found === undefined) throw new TestbedError(`Go is missing; it is needed once, to ${purpose}`, install);
  if (isOlder(found, versions.go)) {
    throw new TestbedError(`Go ${versions.go} is needed to ${purpose}, and this is ${found.split('-')[0]}`, install);
  }
}

/** Runs `go` and gives what it printed; what only waits for a busy proxy is tried again. */
export async function runGo(
  args: readonly string[],
  options: {
    readonly env: NodeJS.ProcessEnv;
    readonly cwd: string;
    readonly what: string;
    readonly pausesMs?: readonly number[];
  },
): Promise<string> {
  const { env, cwd, what, pausesMs = [] } = options;
  for (let attempt = 0; ; attempt += 1) {
    const answer = await runProgram('go', args, { env: { ...env, CGO_ENABLED: '0' }, cwd });
    if (answer?.exitCode === 0) return answer.stdout;
    const pauseMs = pausesMs[attempt];
    if (pauseMs === undefined) throw goFailed(what, answer?.stderr ?? 'go is gone');
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

function goFailed(what: string, stderr: string): TestbedError {
  const tail = stderr.trim().split('\n').slice(-12).join('\n  ');
  return new TestbedError(`${what} failed:\n  ${tail}`, 'see that "go env GOPROXY" can be reached and try again');
}

function isOlder(a: string, b: string): boolean {
  const [left, right] = [numbers(a), numbers(b)];
  const at = left.findIndex((number, index) => number !== right[index]);
  return at !== -1 && (left[at] ?? 0) < (right[at] ?? 0);
}

function numbers(version: string): number[] {
  const [major = '0', minor = '0', patch = '0'] = version.match(/\d+/g) ?? [];
  return [Number(major), Number(minor), /^(go)?\d+\.\d+\.\d+/.test(version) ? Number(patch) : 0];
}
