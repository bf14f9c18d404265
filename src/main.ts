import { useCompileCache } from './lib/compile-cache.ts';
import { TRY_AGAIN } from './lib/exit-codes.ts';

useCompileCache(); // Before anything else is loaded.
const { runCommandLine } = await import('./commands/command-line.ts').catch(
  (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    process.stderr.write(
      `doorlist: ${error.message}. If an update is being installed, try again; else run \`npm ci\`.\n`,
    );
    process.exit(TRY_AGAIN);
  },
);
const { standardOutput, systemErrorWords } = await import('./lib/files.ts');

const output = standardOutput();
output.on('error', ({ code = '' }: NodeJS.ErrnoException) => {
  if (code === 'EPIPE') process.exit(0); // `export | head` has what it wanted.
  process.stderr.write(
    `doorlist: cannot write to standard output: ${systemErrorWords(code)}. What the command did was not undone: check it before you run it again.\n`,
  );
  process.exit(1);
});

process.stderr.on('error', () => {}); // On a full disk, too. Nobody is left to tell, and a server must not stop for it.

process.exitCode = await runCommandLine(process.argv.slice(2), {
  environment: process.env,
  envFile: '.env',
  out: (text) => output.write(`${text}\n`),
  error: (text) => process.stderr.write(`${text}\n`),
});
