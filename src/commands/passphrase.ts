import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import type { Config } from '../config/config.ts';
import { BackupProblem } from '../vault/backup-format.ts';

const LEAST_CHARACTERS = 12;

/** A terminal that can prompt. */
interface Console {
  input: NodeJS.ReadableStream & { isTTY?: boolean };
  output: NodeJS.WritableStream;
}

const TERMINAL: Console = { input: process.stdin, output: process.stderr };

/** Prompts twice for a new backup, because a typo would only show when the backup is needed. */
export async function newPassphrase(config: Config, console: Console = TERMINAL): Promise<string> {
  const passphrase = config.backupPassphrase ?? (await ask(console, 'Passphrase for this backup: '));
  if ([...passphrase].length < LEAST_CHARACTERS)
    throw new BackupProblem(`the passphrase must have at least ${LEAST_CHARACTERS} characters`);
  if (config.backupPassphrase === undefined && (await ask(console, 'Repeat the passphrase: ')) !== passphrase)
    throw new BackupProblem('the passphrases do not match');
  return passphrase;
}

export async function knownPassphrase(config: Config, console: Console = TERMINAL): Promise<string> {
  return config.backupPassphrase ?? ask(console, 'Passphrase of this backup: ');
}

async function ask({ input, output }: Console, prompt: string): Promise<string> {
  if (!input.isTTY)
    throw new BackupProblem('DOORLIST_BACKUP_PASSPHRASE is required when there is no terminal');
  output.write(prompt);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: silent, terminal: true });
  const cancelled = new Promise<never>((_, reject) => {
    lines.once('close', () => reject(new BackupProblem('cancelled')));
  });
  try {
    return await Promise.race([lines.question(''), cancelled]);
  } finally {
    cancelled.catch(() => {});
    lines.close();
    output.write('\n');
  }
}
