import { readFile } from 'node:fs/promises';
import { rootCertificates } from 'node:tls';

/** Whom to trust: undefined means what Node trusts by itself. */
export interface Authorities {
  /** Certificates in PEM: the usual ones and those of the files. */
  readonly ca: readonly string[] | undefined;
  /** Files that are named and cannot be read, or hold no certificate: why, by file. */
  readonly unreadable: ReadonlyMap<string, string>;
}

/** The usual authorities and those in these PEM files. */
export async function readAuthorities(files: readonly string[]): Promise<Authorities> {
  const unreadable = new Map<string, string>();
  const own: string[] = [];
  for (const file of new Set(files)) {
    const found = await certificatesIn(file);
    if (typeof found === 'string') unreadable.set(file, found);
    else own.push(...found);
  }
  return { ca: own.length === 0 ? undefined : [...rootCertificates, ...own], unreadable };
}

async function certificatesIn(file: string): Promise<readonly string[] | string> {
  try {
    const text = await readFile(file, 'utf8');
    const found = text.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g);
    return found ?? 'it holds no certificate in PEM';
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? 'it is not there' : `it cannot be read (${String(code)})`;
  }
}
