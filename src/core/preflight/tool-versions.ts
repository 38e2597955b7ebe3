import { compareVersions } from './compare-versions.ts';
import { type Finding, failed, passed, warned } from './finding.ts';

/** A program that phase 0 asks for (R3.4), and how it tells its version. */
export interface Tool {
  readonly name: string;
  readonly least: string;
  readonly args: readonly string[];
  /** The version in what it prints; undefined when it is not to be found there. */
  readonly read: (printed: string) => string | undefined;
  /** Whether `tiphys bootstrap` cannot do without; Ansible it makes itself where none will do, and the others are for people. */
  readonly bootstrapNeeds: boolean;
  readonly install: string;
}

export const tools: readonly Tool[] = [
  {
    name: 'ansible-playbook',
    least: '2.15',
    args: ['--version'],
    // Since 2.11 `[core 2.19.4]`, before that the bare version.
    read: (printed) => /^ansible-playbook (?:\[core )?(\d[\w.]*)\]?/m.exec(printed)?.[1],
    bootstrapNeeds: false,
    install:
      'Install the PyPI package `ansible` (`python3 -m pip install ansible`), or set `TIPHYS_ANSIBLE` to a Python environment that has it. `tiphys bootstrap` makes one of its own where a package index can be reached.',
  },
  {
    name: 'kubectl',
    least: '1.28',
    args: ['version', '--client', '--output=json'],
    read: (printed) => /"gitVersion":\s*"v(\d[^"]*)"/.exec(printed)?.[1],
    bootstrapNeeds: false,
    install: 'Install kubectl: https://kubernetes.io/docs/tasks/tools/',
  },
  {
    name: 'helm',
    least: '3.12',
    args: ['version', '--short'],
    read: (printed) => /^v(\d[\w.+-]*)/m.exec(printed)?.[1],
    bootstrapNeeds: true,
    install: 'Install Helm 3: https://helm.sh/docs/intro/install/',
  },
  {
    name: 'kubeseal',
    least: '0.24',
    args: ['--version'],
    read: (printed) => /^kubeseal version: v?(\d[\w.+-]*)/m.exec(printed)?.[1],
    bootstrapNeeds: false,
    install: 'Install kubeseal: https://github.com/bitnami-labs/sealed-secrets/releases',
  },
  {
    name: 'jq',
    least: '1.6',
    args: ['--version'],
    read: (printed) => /^jq-(\d[\w.-]*)/m.exec(printed)?.[1],
    bootstrapNeeds: false,
    install: 'Install jq, for example `apt install jq`.',
  },
  {
    name: 'yq',
    least: '4.0',
    args: ['--version'],
    read: (printed) =>
      /^yq \(.*mikefarah.*\) version v?(\d[\w.+-]*)|^yq version v?(\d[\w.+-]*)/m.exec(printed)?.slice(1).find(Boolean),
    bootstrapNeeds: false,
    install: 'Install yq 4 by Mike Farah, a single file: https://github.com/mikefarah/yq/releases',
  },
];

/** How the attempt to run a tool ended. */
export interface ToolAnswer {
  readonly because: 'ended' | 'not-found' | 'not-executable' | 'deadline' | 'stopped';
  readonly printed: string;
  /** Where it was found. */
  readonly path: string | undefined;
}

/** What a tool's answer means. `isOptional`: a tool that is not used in what follows only earns a warning. */
export function judgeTool(tool: Tool, answer: ToolAnswer, isOptional: boolean): Finding {
  const complain = isOptional ? warned : failed;
  const { name, least, install } = tool;
  const where = answer.path === undefined ? '' : ` (${answer.path})`;
  if (answer.because === 'not-found') return complain(name, `not found in PATH; ${least} or newer is needed`, install);
  if (answer.because === 'not-executable')
    return complain(name, `cannot be run${where}`, `Make it executable for this user, or install it again. ${install}`);
  if (answer.because !== 'ended')
    return complain(
      name,
      `did not tell its version in time${where}`,
      `Run \`${name} ${tool.args.join(' ')}\` and see what it waits for.`,
    );
  const version = tool.read(answer.printed);
  if (version === undefined) return unreadable(tool, answer, complain);
  if (compareVersions(version, least) < 0)
    return complain(name, `${version} is too old${where}; ${least} or newer is needed`, install);
  return name === 'helm' && compareVersions(version, '4') >= 0
    ? helmFour(version, where)
    : passed(name, `${version}${where}`);
}

type Complain = (about: string, saw: string, fix: string) => Finding;

function unreadable(tool: Tool, { printed, path }: ToolAnswer, complain: Complain): Finding {
  const where = path === undefined ? '' : ` at ${path}`;
  const python = tool.name === 'yq' ? /^yq (\d[\w.]*)\s*$/m.exec(printed)?.[1] : undefined;
  if (python !== undefined)
    return complain(
      'yq',
      `another program of the same name${where}: yq ${python} in Python, a wrapper around jq, which Debian and Ubuntu call yq; yq 4 in Go is needed`,
      `${tool.install}. Put it into a folder that stands before the other one in PATH, for example /usr/local/bin.`,
    );
  const said = printed.trim().split('\n', 1)[0]?.slice(0, 120) ?? '';
  return complain(
    tool.name,
    `does not tell its version${where}${said === '' ? '' : `; it said “${said}”`}`,
    `Run \`${tool.name} ${tool.args.join(' ')}\` by hand. ${tool.install}`,
  );
}

function helmFour(version: string, where: string): Finding {
  return warned(
    'helm',
    `${version}${where}: Helm 4 has not been tried here, and kubernetes.core may refuse it`,
    'Put Helm 3 first in PATH: https://helm.sh/docs/intro/install/',
  );
}

/** The Python that an `ansible-playbook` runs in, as its `--version` tells it. */
export function pythonOf(printed: string): string | undefined {
  return /^\s*python version = .*\((\/[^()]+)\)\s*$/m.exec(printed)?.[1];
}
