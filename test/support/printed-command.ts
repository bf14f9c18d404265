import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { COMMAND } from '../../src/lib/root.ts';

/** The words of the command that a text tells people to run, as their shell reads it. */
export function printedCommand(text: string): string[] {
  const [, line] = new RegExp(`${COMMAND} ([^\`\\n]+)`).exec(text) ?? [];
  assert.ok(line, `no command in: ${text}`);
  return execFileSync('sh', ['-c', `printf '%s\\n' ${line}`], { encoding: 'utf8' })
    .trimEnd()
    .split('\n');
}
