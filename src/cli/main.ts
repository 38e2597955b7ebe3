import { processIo } from './process-io.ts';
import { version } from './version.ts';

const args = process.argv.slice(2);
const isExecutor = (process.argv[1] ?? '').endsWith('executor');

// Answered before anything else is loaded: people and scripts ask for it in loops.
if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
  process.stdout.write(`${version}\n`);
} else {
  const { run } = await import('./run.ts');
  process.exitCode = await run(args, processIo(), { isExecutor });
}
