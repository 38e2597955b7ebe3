import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { resolve as absolute, join } from 'node:path';
import { type PortName, portNames } from '../testbed.ts';
import { TestbedError } from './testbed-error.ts';

/** Below the range from which the kernel takes ports for connections going out. */
const first = 20_000;
const perSlot = 40;
const slots = 250;

/** Takes a block of ports that no other testbed has and nobody listens on. The block stays taken until it is given back. */
export async function takePorts(home: string, name: string): Promise<Record<PortName, number>> {
  mkdirSync(slotFolder(home), { recursive: true });
  const start = startFor(home);
  for (let step = 0; step < slots; step += 1) {
    const slot = (start + step) % slots;
    if (!claim(home, slot, name)) continue;
    const ports = portsOf(slot);
    if (await areFree(ports)) return ports;
    giveBackSlot(home, slot, name);
  }
  throw new TestbedError(
    `no free block of ${perSlot} ports between ${first} and ${first + slots * perSlot}`,
    'End testbeds that are not needed: npm run testbed -- status',
  );
}

/** Homes know nothing of each other: two that both began at the first block would meet there whenever they come up together. */
function startFor(home: string): number {
  return createHash('sha256').update(absolute(home)).digest().readUInt32BE() % slots;
}

/** Does nobody listen on any of them? */
export async function areFree(ports: Readonly<Record<PortName, number>>): Promise<boolean> {
  return (await Promise.all(Object.values(ports).map(isFree))).every(Boolean);
}

/** The ports of a testbed with those that it did not have when it was made. */
export function completePorts(known: Readonly<Record<'api', number>>): Record<PortName, number> {
  return { ...portsOf(slotOf(known.api)), ...known };
}

/** Frees the block of a testbed that is no more; somebody else may have it by now. */
export function giveBackPorts(home: string, name: string, api: number): void {
  giveBackSlot(home, slotOf(api), name);
}

function slotOf(api: number): number {
  return Math.floor((api - first) / perSlot);
}

function portsOf(slot: number): Record<PortName, number> {
  const ports = portNames.map((port, index) => [port, first + slot * perSlot + index] as const);
  return Object.fromEntries(ports) as Record<PortName, number>;
}

function slotFolder(home: string): string {
  return join(home, '.slots');
}

function claim(home: string, slot: number, name: string): boolean {
  const file = join(slotFolder(home), String(slot));
  try {
    writeFileSync(file, name, { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const owner = ownerOf(file);
    // Given back in this very moment: it is as good as any other.
    if (owner === undefined) return claim(home, slot, name);
    // Ours from an `up` that did not come to its end.
    return owner === name;
  }
}

/** undefined: nobody's. */
function ownerOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function giveBackSlot(home: string, slot: number, name: string): void {
  const file = join(slotFolder(home), String(slot));
  if (ownerOf(file) === name) rmSync(file, { force: true });
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
