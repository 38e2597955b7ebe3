// Measures what the project promises about speed, prints a table and writes it to bench/RESULTS.md.
// `npm run bench` runs everything; `node bench/run.mjs hops version` runs some and writes nothing.
import { pathToFileURL } from 'node:url';
import { bundle, root } from './bundle.mjs';

const built = await bundle('measure', ['bench/measure.ts', 'bench/planning-child.ts', 'bench/hop-server.ts']);
const { measure } = await import(pathToFileURL(`${built}/measure.js`).href);
process.exitCode = await measure({ root, built, names: process.argv.slice(2) });
