import { execFileSync } from 'node:child_process';

/**
 * Everything in an image as it lies there when all layers are upon each other: of each path its kind, mode, owner, and what it holds.
 * Neither how it is cut into layers nor a time is part of it.
 */
export function listFiles(layers: readonly string[]): ReadonlyMap<string, string> {
  const printed = execFileSync('python3', ['-c', program, ...layers], {
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
  });
  return new Map(Object.entries(JSON.parse(printed)));
}

/** What one list has and the other has not, or otherwise; as lines to read. */
export function differences(
  expected: ReadonlyMap<string, string>,
  found: ReadonlyMap<string, string>,
): readonly string[] {
  const paths = [...new Set([...expected.keys(), ...found.keys()])].sort();
  return paths
    .filter((path) => expected.get(path) !== found.get(path))
    .map((path) => `${path}: ${found.get(path) ?? 'missing'} instead of ${expected.get(path) ?? 'nothing'}`);
}

// Python is there wherever an image is assembled, and reads every kind of archive that engines write.
const program = `
import hashlib, json, os.path, sys, tarfile
found = {}
for layer in sys.argv[1:]:
    with tarfile.open(layer) as archive:
        for entry in archive:
            path = os.path.normpath("/" + entry.name)
            target = os.path.normpath("/" + entry.linkname)
            if entry.islnk():
                found[path] = found[target]
                continue
            held = "folder" if entry.isdir() else "to " + entry.linkname
            if entry.isfile():
                held = hashlib.sha256(archive.extractfile(entry).read()).hexdigest()
            # Some engines repeat the kind of file in the mode.
            found[path] = "%o %d:%d %s" % (entry.mode & 0o7777, entry.uid, entry.gid, held)
found.pop("/", None)
json.dump(found, sys.stdout)
`;
