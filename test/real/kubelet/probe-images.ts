import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { writeImage } from './image-blobs.ts';
import type { WriteImages } from './node-images.ts';
import { pauseImage } from './node-settings.ts';
import { programOf } from './programs.ts';

const run = promisify(execFile);

/** By what a probe finds in them. */
export const probeImage = { wget: 'localhost/wget:1', curl: 'localhost/curl:1', noShell: 'localhost/bare:1' } as const;

/** Images out of this machine's own busybox and curl; the files are put together below the folder. */
export function probeImages(folder: string): WriteImages {
  return async (blobs) => {
    const write = async (name: string, programs: Programs, entrypoint: readonly string[]) => {
      const root = join(folder, name);
      await fill(root, programs);
      return writeImage(blobs, { Env: ['PATH=/bin'], Entrypoint: entrypoint }, ['-C', root, '.']);
    };
    const shell = ['sh', 'sed', 'tail', 'sleep'];
    return {
      [pauseImage]: await write('pause', { busybox: ['sleep'] }, ['/bin/sleep', '86400']),
      [probeImage.wget]: await write('wget', { busybox: [...shell, 'wget'] }, ['/bin/sh']),
      [probeImage.curl]: await write('curl', { busybox: shell, curl: [] }, ['/bin/sh']),
      [probeImage.noShell]: await write('bare', { busybox: ['sleep'] }, ['/bin/sleep']),
    };
  };
}

/** Each with the other names that it goes by. */
type Programs = Readonly<Record<string, readonly string[]>>;

async function fill(root: string, programs: Programs): Promise<void> {
  mkdirSync(join(root, 'bin'), { recursive: true });
  for (const [program, names] of Object.entries(programs)) {
    const path = programOf(program);
    copyFileSync(path, join(root, 'bin', program));
    for (const name of names) symlinkSync(program, join(root, 'bin', name));
    for (const library of await librariesOf(path)) {
      mkdirSync(dirname(join(root, library)), { recursive: true });
      copyFileSync(library, join(root, library));
    }
  }
}

/** Where it looks for them; none of a program that stands alone. */
async function librariesOf(program: string): Promise<string[]> {
  const { stdout } = await run('ldd', [program]).catch(() => ({ stdout: '' }));
  return [...stdout.matchAll(/(\/\S+) \(0x/g)].map(([, path = '']) => path);
}
