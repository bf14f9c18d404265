import { setTimeout as pause } from 'node:timers/promises';
import { CompiledQuery } from 'kysely';
import { repeat } from '../lib/promises.ts';
import { VERSION } from '../lib/root.ts';
import { type Database, LockUnavailable, type Trx } from './database.ts';
import { start } from './migrations/0001-start.ts';
import { webhooks } from './migrations/0002-webhooks.ts';
import { imports } from './migrations/0003-import.ts';
import { emails } from './migrations/0004-emails.ts';
import { erasure } from './migrations/0005-erasure.ts';
import { transfer } from './migrations/0006-transfer.ts';
import { sending } from './migrations/0007-sending.ts';
import { operators } from './migrations/0008-operators.ts';
import { failedDeliveries } from './migrations/0009-failed-deliveries.ts';
import { statistics } from './migrations/0010-statistics.ts';
import { forms } from './migrations/0011-forms.ts';
import { jobs } from './migrations/0012-jobs.ts';
import { moves } from './migrations/0013-moves.ts';
import { inviteStates } from './migrations/0014-invite-states.ts';
import { passkeys } from './migrations/0015-passkeys.ts';
import { settings } from './migrations/0016-settings.ts';
import { uploads } from './migrations/0017-uploads.ts';
import { jobSubjects } from './migrations/0018-job-subjects.ts';
import { makers } from './migrations/0019-makers.ts';
import { mailPauses } from './migrations/0020-mail-pauses.ts';
import { formVisits } from './migrations/0021-form-visits.ts';
import { unsettledWaitlists } from './migrations/0022-unsettled-waitlists.ts';
import { schemaGate } from './migrations/0023-schema-gate.ts';
import { importRanges } from './migrations/0024-import-ranges.ts';
import { health } from './migrations/0025-health.ts';
import { removedFrom } from './migrations/0026-removed-from.ts';
import { firstHour } from './migrations/0027-first-hour.ts';
import { savedSegments } from './migrations/0028-saved-segments.ts';
import { boundedAudit } from './migrations/0029-bounded-audit.ts';
import { gateKeys } from './migrations/0030-gate-keys.ts';
import { waves } from './migrations/0031-waves.ts';
import { waveCounters } from './migrations/0032-wave-counters.ts';
import { uncheckedQueues } from './migrations/0033-unchecked-queues.ts';
import { mailEvents } from './migrations/0034-mail-events.ts';
import { mailboxes } from './migrations/0035-mailboxes.ts';
import { sendingLimits } from './migrations/0036-sending-limits.ts';
import { queueStates } from './migrations/0037-queue-states.ts';
import { places } from './migrations/0038-places.ts';
import { repeatedRequests } from './migrations/0039-repeated-requests.ts';
import { mailEventProviders } from './migrations/0040-mail-event-providers.ts';
import type { Migration } from './migrations/migration.ts';

const NAMED = {
  start,
  webhooks,
  imports,
  emails,
  erasure,
  transfer,
  sending,
  operators,
  failedDeliveries,
  statistics,
  forms,
  jobs,
  moves,
  inviteStates,
  passkeys,
  settings,
  uploads,
  jobSubjects,
  makers,
  mailPauses,
  formVisits,
  unsettledWaitlists,
  schemaGate,
  importRanges,
  health,
  removedFrom,
  firstHour,
  savedSegments,
  boundedAudit,
  gateKeys,
  waves,
  waveCounters,
  uncheckedQueues,
  mailEvents,
  mailboxes,
  sendingLimits,
  queueStates,
  places,
  repeatedRequests,
  mailEventProviders,
} satisfies Record<string, Migration>;

export const MIGRATIONS: readonly Migration[] = Object.values(NAMED);
const NAMES = Object.keys(NAMED);
export const SCHEMA_VERSION = MIGRATIONS.length;
/** From this version on, the schema itself refuses writes of earlier releases. */
export const GATED_SINCE = schemaGate.version;
/** From this version on, the database says which release made its schema. */
const RELEASE_SINCE = boundedAudit.version;

export class SchemaTooNew extends Error {
  override name = 'SchemaTooNew';
}

/** Only `serve` and `migrate` update a schema: servers of an earlier release may still be using it. */
export class SchemaTooOld extends Error {
  override name = 'SchemaTooOld';
  readonly version: number;

  /** `running` describes the update that is running, if one is. */
  constructor(version: number, running?: string) {
    const next = running
      ? `${running}. Wait until it is done.`
      : 'Nothing was changed. Start the server of this release, or run `migrate`: both update the schema. Servers of an earlier release cannot write from then on.';
    super(
      `The database has schema version ${version}, and this release of Doorlist needs version ${SCHEMA_VERSION}. ${next}`,
    );
    this.version = version;
  }
}

const LOOK_FOR_BLOCKERS_MS = 1_000;
/** Long enough for others to use the table that the migration could not lock. */
const RETRY_AFTER_MS = 1_000;

/** One migration of an update, while it runs. */
export interface MigrationStep {
  /** Of the whole update. */
  from: number;
  to: number;
  /** What this step leads to. */
  version: number;
  name: string;
  statement: number;
  statements: number;
  startedAt: number;
  /** Whom it waits for, in words. Empty while it works. */
  waitingFor: string[];
  state: 'running' | 'done';
}

/** Called when a step begins, when whom it waits for may have changed, and when it is done. */
export type MigrationWatch = (step: Readonly<MigrationStep>) => void;

/**
 * Updates the schema, one migration in one transaction at a time. Safe if several processes start at once.
 * Returns the applied versions.
 */
export async function migrate(
  db: Database,
  upTo: number = SCHEMA_VERSION,
  watch: MigrationWatch = () => {},
): Promise<number[]> {
  const from = await schemaVersion(db);
  const applied: number[] = [];
  for (let current = from; current < upTo; ) {
    const step: MigrationStep = {
      ...{ from, to: upTo, version: current + 1, name: NAMES[current] ?? '', statement: 0 },
      ...{ statements: MIGRATIONS[current]?.statements.length ?? 0, startedAt: Date.now() },
      ...{ waitingFor: [], state: 'running' },
    };
    watch(step);
    const reached = await watchingLocks(db, step, watch, (known) => applyNext(db, upTo, step, known));
    if (reached === undefined) {
      await pause(RETRY_AFTER_MS);
      continue;
    }
    if (reached.applied) applied.push(reached.version);
    current = reached.version;
    watch({ ...step, waitingFor: [], state: 'done' });
  }
  // New tables go where the others are.
  if (applied.length > 0 && upTo === SCHEMA_VERSION && (await db.clusterWorkers()) !== null)
    await db.unlimited.transaction((trx) => db.distribute(trx));
  return applied;
}

/** Returns undefined if a table was in use for too long. */
async function applyNext(
  db: Database,
  upTo: number,
  step: MigrationStep,
  known: (session: number) => void,
): Promise<{ version: number; applied: boolean } | undefined> {
  try {
    return await db.transaction(async (trx) => {
      known(await db.sessionOf(trx));
      await db.lockSchema(trx);
      const current = await appliedVersion(db, trx);
      await refuseNewer(trx, current);
      const migration = MIGRATIONS[current];
      // Another process was faster.
      if (!migration || current >= upTo || current + 1 !== step.version)
        return { version: current, applied: false };
      await apply(db, trx, migration, step);
      return { version: migration.version, applied: true };
    });
  } catch (error) {
    if (error instanceof LockUnavailable) return undefined;
    throw error;
  }
}

async function apply(
  db: Database,
  trx: Trx,
  { version, statements }: Migration,
  step: MigrationStep,
): Promise<void> {
  // First, because it waits for running writes and keeps new ones out.
  if (version >= GATED_SINCE) await db.closeToEarlier(trx, version);
  for (const [index, statement] of statements.entries()) {
    step.statement = index + 1;
    await trx.executeQuery(CompiledQuery.raw(db.spell(statement)));
  }
  const release = version >= RELEASE_SINCE ? `, release = '${VERSION}'` : '';
  await trx.executeQuery(CompiledQuery.raw(`update schema_version set version = ${version}${release}`));
}

/** While the step runs, finds out now and then whether it waits for somebody. */
async function watchingLocks<T>(
  db: Database,
  step: MigrationStep,
  watch: MigrationWatch,
  work: (known: (session: number) => void) => Promise<T>,
): Promise<T> {
  let session: number | undefined;
  const stopLooking = repeat(LOOK_FOR_BLOCKERS_MS, async () => {
    if (session === undefined) return;
    step.waitingFor = await db.blockersOf(session).catch(() => step.waitingFor);
    watch(step);
  });
  try {
    return await work((known) => {
      session = known;
    });
  } finally {
    await stopLooking();
  }
}

/** Returns 0 for an empty database. Changes nothing. */
export async function schemaVersion(db: Database): Promise<number> {
  if (!(await db.hasTable(db.query, 'schema_version'))) return 0;
  const version = await readVersion(db.query);
  await refuseNewer(db.query, version);
  return version;
}

/** For display, also if a newer release has updated the schema. */
export function storedSchemaVersion(db: Database): Promise<number> {
  return readVersion(db.query);
}

export async function requireCurrentSchema(db: Database): Promise<void> {
  const version = await schemaVersion(db);
  if (version === SCHEMA_VERSION) return;
  const since = await db.schemaLockedSince();
  if (since === undefined) throw new SchemaTooOld(version);
  const seconds = Math.round(((await db.now()) - since) / 1_000);
  throw new SchemaTooOld(version, `Another process is updating it, in this step for ${seconds} s`);
}

async function appliedVersion(db: Database, trx: Trx): Promise<number> {
  if (await db.hasTable(trx, 'schema_version')) return readVersion(trx);
  await trx.executeQuery(CompiledQuery.raw('create table schema_version (version bigint not null)'));
  await trx.executeQuery(CompiledQuery.raw('insert into schema_version (version) values (0)'));
  return 0;
}

async function readVersion(executor: Database['query']): Promise<number> {
  const { rows } = await executor.executeQuery<{ version: number }>(
    CompiledQuery.raw('select version from schema_version'),
  );
  return rows[0]?.version ?? 0;
}

/** Two builds between releases have the same version. */
function madeBy(release: string): string {
  return release === VERSION
    ? `the later build of Doorlist ${release} that made it`
    : `Doorlist ${release} or newer, which made it`;
}

async function refuseNewer(executor: Database['query'], version: number): Promise<void> {
  if (version <= SCHEMA_VERSION) return;
  const { rows } = await executor.executeQuery<{ release?: string | null }>(
    CompiledQuery.raw('select * from schema_version'),
  );
  const release = rows[0]?.release;
  const fitting = release ? madeBy(release) : 'a newer release';
  throw new SchemaTooNew(
    `the database has schema version ${version}, this Doorlist ${VERSION} knows up to ${SCHEMA_VERSION}: start ${fitting}`,
  );
}
