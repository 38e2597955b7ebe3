import type { KubeObject } from '../store/objects.ts';

/** One column of what kubectl prints. */
export interface Column {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
  readonly cell: (object: KubeObject, now: number) => unknown;
}
