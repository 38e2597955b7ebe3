import { compareVersions } from './compare-versions.ts';
import { type Finding, failed, passed, warned } from './finding.ts';

/** What Ansible needs in its Python (R3.4), by the name on PyPI. */
const pythonPackages = ['kubernetes', 'openshift', 'pyyaml', 'jsonpatch'] as const;

/** Prints the version of each package that is there, as JSON. */
export const pythonProbe = `import importlib.metadata as m, json
found = {}
for name in ${JSON.stringify(pythonPackages)}:
    try:
        found[name] = m.version(name)
    except m.PackageNotFoundError:
        pass
print(json.dumps(found))`;

/** What the probe's answer means. */
export function judgePackages(python: string, versions: Readonly<Record<string, string>>): readonly Finding[] {
  return pythonPackages.map((name) => {
    const version = versions[name];
    if (version !== undefined) return passed(name, `${version} (${python})`);
    const saw = `not in the Python that Ansible runs in (${python})`;
    const fix = `\`${python} -m pip install ${name}\``;
    // kubernetes.core has done without it since its second major version; the RFC asks for it all the same.
    if (name === 'openshift')
      return warned(name, `${saw}; kubernetes.core does without it`, `If you use OpenShift: ${fix}`);
    return failed(name, saw, fix);
  });
}

const collections: readonly { readonly name: string; readonly least: string }[] = [
  { name: 'kubernetes.core', least: '4.0.0' },
  { name: 'community.general', least: '4.0.0' },
  { name: 'ansible.posix', least: '1.0.0' },
  { name: 'ansible.utils', least: '5.0.0' },
];

/** What `ansible-galaxy collection list --format json` told: folder → collection → version. The first folder wins, as for Ansible. */
export type ListedCollections = Readonly<Record<string, Readonly<Record<string, { readonly version?: string }>>>>;

/** What the list of collections means. */
export function judgeCollections(listed: ListedCollections): readonly Finding[] {
  return collections.map(({ name, least }) => {
    const version = Object.values(listed)
      .map((folder) => folder[name]?.version)
      .find((found) => found !== undefined);
    const fix = `\`ansible-galaxy collection install '${name}:>=${least}'\`, or install the PyPI package \`ansible\`, which has them all.`;
    if (version === undefined) return failed(name, `not installed; ${least} or newer is needed`, fix);
    if (compareVersions(version, least) < 0)
      return failed(name, `${version} is too old; ${least} or newer is needed`, fix);
    return passed(name, version);
  });
}
