import { useCompileCache } from './compile-cache.ts';

useCompileCache(); // Before anything else is loaded.
const { runCommandLine } = await import('./commands/command-line.ts');

process.exitCode = await runCommandLine(process.argv.slice(2), {
  environment: process.env,
  envFile: '.env',
  out: (text) => process.stdout.write(`${text}\n`),
  error: (text) => process.stderr.write(`${text}\n`),
});
