import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { Config } from '../config/config.ts';
import type { MigrationStep, MigrationWatch } from '../db/migrate.ts';
import { writeNote } from './damage-note.ts';
import { describeStep } from './log-migration.ts';

/** Beside the database, because another process cannot see what a transaction of SQLite is doing. */
const NOTE = 'schema-update.json';

interface Note extends MigrationStep {
  pid: number;
}

/** Records the current step for `status` and other commands. */
export function noteMigration({ dataDir }: Config): MigrationWatch {
  const file = path.join(dataDir, NOTE);
  let noted = '';
  return (step) => {
    const text = JSON.stringify({ ...step, pid: process.pid } satisfies Note);
    if (step.from === 0 || text === noted) return;
    noted = text;
    try {
      writeNote(file, text);
    } catch {
      // Only `status` misses it. If the disk is full, the update fails next and names the database.
    }
  };
}

export function removeMigrationNote({ dataDir }: Config): void {
  rmSync(path.join(dataDir, NOTE), { force: true });
}

/** The step in words, unless the process that wrote it is gone. */
export function readMigrationNote({ dataDir }: Config): string | undefined {
  try {
    const step = JSON.parse(readFileSync(path.join(dataDir, NOTE), 'utf8')) as Note;
    process.kill(step.pid, 0); // Throws if there is no such process.
    const seconds = Math.round((Date.now() - step.startedAt) / 1_000);
    return `Another process is ${describeStep(step)}, for ${seconds} s`;
  } catch {
    return undefined;
  }
}
