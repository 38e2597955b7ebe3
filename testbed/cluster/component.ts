import type { BinaryName } from '../testbed.ts';
import type { TestbedState } from './state.ts';

/** One process of the testbed: how it is started, and how one knows that it is ready. */
export interface Component {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly ready: Probe;
}

/** A page that answers without an error, or a port that accepts. */
export type Probe = PageProbe | { readonly port: number };

export interface PageProbe {
  readonly url: string;
  readonly client?: Client;
}

/** How one asks a server that wants to know who asks, or has an authority of its own: three files. */
export interface Client {
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
}

/** Flags as Kubernetes' programs take them. */
export function flags(values: Readonly<Record<string, string | number | boolean>>): string[] {
  return Object.entries(values).map(([name, value]) => `--${name}=${value}`);
}

/** What the components are made from. */
export interface Site {
  readonly testbed: TestbedState;
  /** The path of a program. */
  readonly program: (name: BinaryName) => string;
  /** From the system's packages. */
  readonly redis: string;
}
