import { fileURLToPath } from 'node:url';
import { main } from './main.ts';

// Bundled into one file, this is what runs: for people, and again for the part of the testbed that is our own process.
process.exitCode = await main(process.argv.slice(2), { bundle: fileURLToPath(import.meta.url) });
