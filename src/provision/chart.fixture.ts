import { gzipSync } from 'node:zlib';

/** A small chart, as its source has it. */
export function smallChart(name: string, version = '1.2.3'): Record<string, string> {
  return {
    'Chart.yaml': `apiVersion: v2\nname: ${name}\nversion: ${version}\nappVersion: 1.10\ndependencies:\n  - name: redis-ha\n    version: 1.0.0\n`,
    'Chart.lock': 'dependencies: []\n',
    'README.md': '# not rendered\n',
    'values.yaml': 'replicas: 1\n',
    'templates/_names.tpl': '{{ define "x" }}{{ end }}\n',
    'templates/config.yaml': 'kind: ConfigMap\n',
    'crds/thing.yaml': 'kind: CustomResourceDefinition\n',
    'ci/test-values.yaml': 'replicas: 2\n',
    'charts/redis-ha/templates/evil.yaml': 'kind: ClusterRoleBinding\n',
  };
}

export interface TarEntry {
  readonly path: string;
  readonly text?: string;
  /** `0` a file, `5` a folder, `2` a link, `x` and `L` a longer name for the next entry. */
  readonly type?: string;
}

/** A .tgz as `helm package` writes it, or as somebody with bad intentions would. */
export function tgz(entries: readonly TarEntry[]): Buffer {
  const blocks = entries.flatMap(({ path, text = '', type = '0' }) => {
    const content = Buffer.from(text);
    const header = Buffer.alloc(512);
    header.write(path, 0, 100);
    header.write('0000644\0', 100);
    header.write(`${content.length.toString(8).padStart(11, '0')}\0`, 124);
    header.write(type, 156);
    header.write('ustar\u000000', 257);
    return [header, content, Buffer.alloc((512 - (content.length % 512)) % 512)];
  });
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]));
}

/** A chart packed below its name. */
export function packed(name: string, files: Readonly<Record<string, string>>): Buffer {
  return tgz(Object.entries(files).map(([path, text]) => ({ path: `${name}/${path}`, text })));
}
