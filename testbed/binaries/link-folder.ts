import { createHash } from 'node:crypto';
import { symlink, writeFile } from 'node:fs/promises';
import { placeFolder } from './place-folder.ts';
import { versions } from './versions.ts';

/** Makes a folder in which every program has its own name, so that it can be an entry of PATH; the same programs give the same folder. */
export function linkFolder(cache: string, programs: ReadonlyMap<string, string>): Promise<string> {
  const links = [...programs].sort(([a], [b]) => a.localeCompare(b));
  const hash = createHash('sha256')
    .update(JSON.stringify([links, standIn]))
    .digest('hex')
    .slice(0, 16);
  return placeFolder(`${cache}/links/${hash}`, async (folder) => {
    for (const [name, file] of links) await symlink(file, `${folder}/${name}`);
    if (!programs.has('kustomize')) await writeFile(`${folder}/kustomize`, standIn, { mode: 0o755 });
  });
}

// Argo CD calls `kustomize build <path> [options]` and `kustomize version --short`; `edit` only for overrides in an
// Application, which kubectl cannot do.
const standIn = `#!/bin/sh
# Stands in for kustomize: kubectl has most of it.
case "$1" in
  build) shift; exec "$(dirname "$0")/kubectl" kustomize "$@" ;;
  version) "$(dirname "$0")/kubectl" version --client | sed -n 's/^Kustomize Version: //p' ;;
  *) echo "kustomize $1: only kubectl's kustomize is here, which cannot do that; put kustomize ${versions.kustomize} into TIPHYS_TESTBED_BIN" >&2; exit 1 ;;
esac
`;
