// Measures Tiphys on a real Argo CD beside what else could do its work, prints tables and writes them to bench/TESTBED.md.
// `npm run bench:testbed` runs everything; `-- chain fan` some of it, and writes nothing. `--runs 1` is for those in a hurry.
import { pathToFileURL } from 'node:url';
import { bundle, root } from '../bundle.mjs';

const built = await bundle('testbed', ['bench/testbed/measure-testbed.ts', 'bench/testbed/floor.ts']);
process.chdir(root);
const { measureTestbed } = await import(pathToFileURL(`${built}/measure-testbed.js`).href);
process.exitCode = await measureTestbed({ root, built, args: process.argv.slice(2) });
