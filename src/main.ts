import { useCompileCache } from './lib/compile-cache.ts';

useCompileCache(); // Before anything else is loaded.
const { runCommandLine } = await import('./commands/command-line.ts');

// `export | head` has what it wanted.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

process.exitCode = await runCommandLine(process.argv.slice(2), {
  environment: process.env,
  envFile: '.env',
  out: (text) => process.stdout.write(`${text}\n`),
  error: (text) => process.stderr.write(`${text}\n`),
});
