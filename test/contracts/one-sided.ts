import type { ClusterName } from './cluster.ts';

export type OneSided = keyof typeof oneSided;

/** The cases that can be run on one cluster only, and why. */
export const oneSided = {
  'refresh-overlooked': {
    only: 'sandbox',
    because: 'a real controller overlooks a patch about once in eighty times, and nobody can make it do so on purpose',
  },
} as const satisfies Record<string, { readonly only: ClusterName; readonly because: string }>;
