import path from 'node:path';
import { runChecks } from './support/checks.ts';

process.chdir(path.join(import.meta.dirname, '..'));
for (const { words, passed, output } of await runChecks()) {
  console.log(`> ${words.join(' ')}\n${output}`);
  if (!passed) process.exitCode = 1;
}
