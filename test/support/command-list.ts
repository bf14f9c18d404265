import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { loadCommands } from '../../src/commands/command-groups.ts';
import { usage } from '../../src/commands/command-line.ts';

const FILE = path.join(import.meta.dirname, '../operations/commands.txt');
export const RENEW = 'bin/node test/support/command-list.ts';

/** Every command with its flags, one on each line. */
export async function commandList(): Promise<string> {
  return `${(await loadCommands()).map(usage).join('\n')}\n`;
}

export function knownCommands(): string {
  return readFileSync(FILE, 'utf8');
}

if (import.meta.main) writeFileSync(FILE, await commandList());
