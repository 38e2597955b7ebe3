import type { Agent } from 'node:http';
import type { SecureContextOptions } from 'node:tls';

/** A cluster and how to show it who we are. */
export interface Connection {
  /** Address of the API server. */
  readonly server: string;
  readonly context: string;
  /** The context's namespace. */
  readonly namespace?: string;
  /** Whether asking again may bring other credentials: plugins and token files. */
  readonly renews: boolean;
  /** Reads the credentials afresh. */
  credentials(): Promise<Credentials>;
}

export interface Credentials {
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly tls: TlsOptions;
  /** Through a proxy. */
  readonly agent?: Agent;
}

export type TlsOptions = Pick<SecureContextOptions, 'ca' | 'cert' | 'key'> & {
  readonly servername?: string;
  readonly rejectUnauthorized?: boolean;
};

/** The kubeconfig does not lead to a cluster; never quotes its content. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  /** What the operator can do. */
  readonly hint: string;

  constructor(message: string, hint: string, options?: { cause: unknown }) {
    super(message, options);
    this.hint = hint;
  }
}
