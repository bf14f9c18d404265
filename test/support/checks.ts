import { execFile } from 'node:child_process';
import path from 'node:path';
import { lateAwaits } from './late-awaits.ts';
import { openedInLoops } from './opened-in-loops.ts';
import { structureProblems } from './structure.ts';

const OUTPUT_BYTES_MAX = 16 * 1024 ** 2;

/** Format, lint and types. The direction of imports is checked beside them. */
const CHECKS = [
  ['node_modules/@biomejs/biome/bin/biome', 'ci', '--colors=off', '.'],
  ['node_modules/typescript/bin/tsc', '--noEmit'],
  ['node_modules/typescript/bin/tsc', '--noEmit', '-p', 'web'],
];

interface Check {
  words: string[];
  passed: boolean;
  output: string;
}

/** One after the other, as some run beside the tests. */
export async function runChecks(): Promise<Check[]> {
  const problems = [...structureProblems(), ...lateAwaits(), ...openedInLoops()];
  const structure = { words: ['structure'], passed: problems.length === 0, output: problems.join('\n') };
  const checks: Check[] = [structure];
  for (const words of CHECKS) checks.push(await check(words));
  return checks;
}

function check([tool = '', ...rest]: string[]): Promise<Check> {
  return new Promise((resolve) => {
    execFile(process.execPath, [tool, ...rest], { maxBuffer: OUTPUT_BYTES_MAX }, (error, stdout, stderr) => {
      const words = [path.basename(tool), ...rest];
      resolve({ words, passed: error === null, output: stdout + stderr });
    });
  });
}
