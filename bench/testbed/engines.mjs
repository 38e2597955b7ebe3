// Measures the engines beside each other on a real Argo CD and a real Argo Workflows, prints the tables and writes them to
// bench/ENGINES.md. `npm run bench:engines` runs everything; `-- chain` some of it, and writes nothing. `--runs 1` is for those in a hurry.
import { pathToFileURL } from 'node:url';
import { bundle, root } from '../bundle.mjs';

const built = await bundle('engines', ['bench/testbed/engines.ts']);
process.chdir(root);
const { measureEngines } = await import(pathToFileURL(`${built}/engines.js`).href);
process.exitCode = await measureEngines({ root, args: process.argv.slice(2) });
