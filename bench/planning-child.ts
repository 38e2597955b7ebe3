// A process that reads and plans one platform once, as a person's command would: nothing is warm.
import { performance } from 'node:perf_hooks';
import { planDeploy } from '../src/core/plan/plan-deploy.ts';
import { formatProblems } from '../src/core/platform/format-problems.ts';
import { readPlatform } from '../src/core/platform/read-platform.ts';
import { environmentText, syntheticDag } from './synthetic-platform.ts';

const [apps = 0, edges = 0] = process.argv.slice(2).map(Number);
const dag = { file: 'dag.yaml', text: syntheticDag(apps, edges) };
const environment = { file: 'environment.yaml', text: environmentText };

const startedAt = performance.now();
const { platform, problems } = readPlatform({ dag, environment });
if (platform === undefined) throw new Error(formatProblems(problems));
const checkedAt = performance.now();
const observed = { applications: new Map(), projects: new Map(), checks: new Map() };
const plan = planDeploy(platform, observed, { scope: { kind: 'platform' } });
const plannedAt = performance.now();

const planned = plan.steps.reduce((sum, step) => sum + step.after.length, 0);
if (plan.steps.length !== apps || planned !== edges)
  throw new Error(`planned ${plan.steps.length} apps, ${planned} edges`);
process.stdout.write(JSON.stringify({ check: checkedAt - startedAt, plan: plannedAt - checkedAt }));
