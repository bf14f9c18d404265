import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { Config } from '../config/config.ts';
import type { MigrationStep, MigrationWatch } from '../db/migrate.ts';
import type { Log } from '../lib/log.ts';
import { writeNote } from './damage-note.ts';

const LINE_EVERY_MS = 10_000;

/** Logs an update of the schema: its steps, that a long one is still running, and whom it waits for. */
export function logMigration(log: Pick<Log, 'info' | 'warn'>): MigrationWatch {
  let loggedAt = 0;
  let logged = '';
  return (step) => {
    if (step.from === 0) return; // A new database: quick, and of no interest.
    const line = describeStep(step);
    const now = Date.now();
    const news = step.waitingFor.length > 0 || step.state === 'done' || step.statement === 0;
    if (line === logged || (!news && now - loggedAt < LINE_EVERY_MS)) return;
    if (step.waitingFor.length > 0 && logged.includes('waiting') && now - loggedAt < LINE_EVERY_MS) return;
    loggedAt = now;
    logged = line;
    const { from, to, version, name, waitingFor } = step;
    const ms = now - step.startedAt;
    if (waitingFor.length > 0) log.warn({ from, to, version, name, ms, waitingFor }, line);
    else log.info({ from, to, version, name, ms }, line);
  };
}

export function describeStep({
  from,
  to,
  version,
  name,
  state,
  statement,
  statements,
  waitingFor,
}: MigrationStep): string {
  const step = `step to version ${version} (${name})`;
  if (waitingFor.length > 0)
    return `updating the schema from version ${from} to ${to}: ${step} is waiting for ${waitingFor.join(', ')}`;
  if (state === 'done')
    return version === to
      ? `updated the schema from version ${from} to ${to}`
      : `updating the schema from version ${from} to ${to}: ${step} is done`;
  const progress = statement === 0 ? 'begins' : `is at statement ${statement} of ${statements}`;
  return `updating the schema from version ${from} to ${to}: ${step} ${progress}`;
}

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
