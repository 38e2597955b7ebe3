import { assemblePlan } from '../plan/assemble-plan.ts';
import type { Plan } from '../plan/plan.ts';
import { bootstrapRoles } from './roles.ts';

/** The plan of phase 1: the five roles after what each follows. Every role looks first, so the plan needs no look at the cluster. */
export function planBootstrap(platform: string): Plan {
  const seconds = new Map(bootstrapRoles.map((role) => [role.name, role.seconds]));
  return assemblePlan({
    platform,
    action: 'bootstrap',
    scope: 'platform',
    steps: bootstrapRoles.map(({ name, after, brings }) => ({
      node: name,
      stack: 'bootstrap',
      application: name,
      action: 'install',
      reason: brings,
      after: [...after],
      edges: {},
    })),
    seconds: ({ node }) => seconds.get(node) ?? 0,
    problems: [],
  });
}
