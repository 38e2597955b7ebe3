import { open } from 'node:fs/promises';
import type { Architecture } from './contents.ts';
import { AssemblyError } from './run.ts';

/** Refuses a program for another machine: nothing here runs it, so nobody else would notice. */
export async function expectArchitecture(file: string, architecture: Architecture): Promise<void> {
  const handle = await open(file);
  try {
    const { buffer } = await handle.read(Buffer.alloc(20), 0, 20, 0);
    const isProgram = buffer.toString('latin1', 0, 4) === '\x7fELF';
    if (isProgram && buffer.readUInt16LE(18) === machines[architecture]) return;
  } finally {
    await handle.close();
  }
  throw new AssemblyError(
    `${file} is no program for ${architecture}`,
    'give one for the architecture that is assembled',
  );
}

/** As ELF numbers them. */
const machines: Readonly<Record<Architecture, number>> = { amd64: 0x3e, arm64: 0xb7 };
