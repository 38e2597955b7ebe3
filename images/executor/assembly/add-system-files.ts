import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Contents } from './contents.ts';

/** What no package brings: who there is, how names are found, and the places that are mounted. */
export async function addSystemFiles({ config, mounts, writable }: Contents, folder: string): Promise<void> {
  const [user, group] = config.user.split(':');
  const home = config.environment['HOME'] ?? '/';
  await mkdir(join(folder, 'etc'), { recursive: true });
  await writeFile(
    join(folder, 'etc/passwd'),
    `root:x:0:0:root:/root:/usr/sbin/nologin\ntiphys:x:${user}:${group}::${home}:/usr/sbin/nologin\n`,
  );
  await writeFile(join(folder, 'etc/group'), `root:x:0:\ntiphys:x:${group}:\n`);
  await writeFile(join(folder, 'etc/nsswitch.conf'), 'passwd: files\ngroup: files\nhosts: files dns\n');
  for (const path of mounts) await mkdir(join(folder, path), { recursive: true });
  for (const path of writable) {
    await mkdir(join(folder, path), { recursive: true });
    await chmod(join(folder, path), 0o1777);
  }
}
