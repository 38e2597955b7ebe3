import { stabilityWindowMs } from '../../src/core/health/gate.ts';
import { resyncSeconds, usualResyncSeconds } from './bed.ts';

/** What the words of the tables mean; the same on every page. */
export const howMeasured = `## How it is measured

- **Same work.** Chain and fan: (a) and (b) find their Applications in the cluster, held by a sync window; (c) and (d) create them on the way, which is part of what they are. \`reference\`: (a) and (b) find
  the held root and nothing else, and bring 9 AppProjects, 9 stack Applications and 47 Applications through it; (c) and (d) are flat and have no parents to bring, and the part \`prometheus#crds\` is an Application of its own for them.
  Levels are those of the graph with all its edges. The cluster is emptied before each run of fan and \`reference\`, and before each round of the chain, whose namespaces exist: to create one, Argo CD waits in a step of its own.
- **makespan**: from the start of the process, or of the request that creates ApplicationSet or root, until Argo CD's records say that all apps are Synced and Healthy at once. **process**: until the executor has
  ended; Tiphys has handed over to Argo CD and looked at everything again by then, the floor has not.
- **hop**: from the record of the last need as Synced and Healthy, plus its stability window where Tiphys keeps one, to the first request made for the dependent: the operation on it, or the one on its parent that creates it. A parent takes one operation at a time;
  while it was busy the dependent had to wait, and that counts as creating Applications, as does what is left of a creation that Tiphys began before the needs were ready. Vault is unsealed some seconds after Argo CD calls it Healthy: Tiphys, which asks Vault itself, is measured from then, and its critical path counts that time to Vault's.
- **to its own operation**: the same, but to the operation on the dependent itself, and with the time for which its parent was busy: what it takes in all where Applications have to be created first.
- **stability window**: ${stabilityWindowMs / 1000} s where Argo CD's check of a kind may speak of an older state (not of what the operation has created), and for apps that never settle, by the rule of the engine; what a run waits beyond that counts to the hop.
- **edges broken**: hard needs that were not recorded as Synced and Healthy when the first object of the dependent was created, run by run.
- **critical path**: the longest chain of needs over what each app itself took until Healthy: from the first request made for it, or from when its needs were ready where that was later, so that no moment counts twice.
  Root and stacks, through which the apps of \`reference\` are created, do not belong to it. The goals also tell the figure with them: from the first request for root until the stack of the first app is there. The column counts no stability windows.
  Of stability windows those between two apps of the chain count, not the last one's, which is beyond the makespan.
- **requests**: everything that leaves the executor's process, reads, writes and watches; Argo CD's own requests are not counted for anybody. CPU of the executor includes the start of Node.
- Argo CD looks at everything again by itself every ${resyncSeconds} s instead of every ${usualResyncSeconds} s, in favour of (c) and (d): when an app has brought definitions, Argo CD reads the cluster anew and overlooks what happens meanwhile, and
  they wait until it looks again. (a) and (b) ask. With many Applications it looks as seldom as it does unless told.
- Moments are taken from the API server's audit log, but for the start and the end of a process, and for Vault's own word, which its pod tells. The check for Applications that sync waves wait by is that of Argo CD's manual, and installed for all four.
- The floor is \`bench/testbed/floor.ts\`: no lease, plan, gate, evidence, report, hand-over.
`;

/** What stands behind the columns of the table before it. */
export const whereItGoes = `Operations are Argo CD at work, and from Succeeded to Healthy it is the workloads: neither waits for anything of its own there, but for Vault. They still differ, because each row is one run along the chain
that happened to end last in it, and because what one does earlier (creating Applications ahead) keeps Argo CD busy at another time. What Tiphys does beyond the floor:

- **stability windows**, which the floor does not keep: it believes Argo CD's first Healthy, of whatever generation;
- **until the first request**: the lease and the plan; with \`reference\`, root and stacks come in there for both;
- **from Succeeded to Healthy**, where Vault is on the path: the floor believes Argo CD, which knows nothing of seals; Tiphys waits until Vault itself says that it is unsealed;
- **until the process ended**: the last stability windows, the hand-over (windows removed, every Application compared once more) and the report.

What it does less: **creating Applications**. Tiphys has them made, held, while what they need is under way; the bare loop creates each on its turn.`;
