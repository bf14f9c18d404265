import type { MigrationStep, MigrationWatch } from '../db/migrate.ts';
import type { Log } from '../lib/log.ts';

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
