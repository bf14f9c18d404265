import { setTimeout as pause } from 'node:timers/promises';
import { CompiledQuery } from 'kysely';
import { repeat } from '../lib/promises.ts';
import { VERSION } from '../lib/root.ts';
import { type Database, LockUnavailable, type Trx } from './database.ts';
import { MIGRATIONS } from './migrations.ts';
import { type Migration, SCHEMA } from './schema/schema.ts';

export const SCHEMA_VERSION = MIGRATIONS.at(-1)?.version ?? SCHEMA.version;

export class SchemaTooNew extends Error {
  override name = 'SchemaTooNew';
}

/** Only `serve` and `migrate` update a schema: servers of an earlier release may still be using it. */
export class SchemaTooOld extends Error {
  override name = 'SchemaTooOld';
  readonly version: number;

  constructor(version: number, next = UPDATE) {
    super(
      `The database has schema version ${version}, and this release of Doorlist needs version ${SCHEMA_VERSION}. ${next}`,
    );
    this.version = version;
  }

  /** `running` describes the update that is running. */
  static whileUpdating(version: number, running: string): SchemaTooOld {
    return new SchemaTooOld(version, `${running}. Wait until it is done.`);
  }
}

const UPDATE =
  'Nothing was changed. Start the server of this release, or run `migrate`: both update the schema. Servers of an earlier release cannot write from then on.';
/** For schemas that were never released. */
const UPDATE_ELSEWHERE = `Nothing was changed. This release cannot update it: run \`migrate\` of a checkout of Doorlist from before 0.1.0's schema once, which updates it to version ${SCHEMA.version}, and then start this release. docs/upgrade.md says how.`;

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
 * Creates the schema of an empty database and updates that of others, one migration in one transaction at a time. Safe if
 * several processes start at once. Returns the applied versions.
 */
export async function migrate(
  db: Database,
  upTo: number = SCHEMA_VERSION,
  watch: MigrationWatch = () => {},
): Promise<number[]> {
  const from = await schemaVersion(db);
  const applied: number[] = [];
  for (let next = stepAfter(from); next && next.version <= upTo; ) {
    const migration = next;
    const step: MigrationStep = {
      ...{ from, to: upTo, version: migration.version, name: migration.name, statement: 0 },
      ...{ statements: migration.statements.length, startedAt: Date.now(), waitingFor: [], state: 'running' },
    };
    watch(step);
    const reached = await watchingLocks(db, step, watch, (known) => applyNext(db, migration, step, known));
    if (reached === undefined) {
      await pause(RETRY_AFTER_MS);
      continue;
    }
    if (reached.applied) applied.push(reached.version);
    next = stepAfter(reached.version);
    watch({ ...step, waitingFor: [], state: 'done' });
  }
  // New tables go where the others are.
  if (applied.length > 0 && upTo === SCHEMA_VERSION && (await db.clusterWorkers()) !== null)
    await db.unlimited.transaction((trx) => db.distribute(trx));
  return applied;
}

function stepAfter(version: number): Migration | undefined {
  return [SCHEMA, ...MIGRATIONS].find((migration) => migration.version > version);
}

/** Returns undefined if a table was in use for too long. */
async function applyNext(
  db: Database,
  migration: Migration,
  step: MigrationStep,
  known: (session: number) => void,
): Promise<{ version: number; applied: boolean } | undefined> {
  try {
    return await db.transaction(async (trx) => {
      known(await db.sessionOf(trx));
      await db.lockSchema(trx);
      const current = await appliedVersion(db, trx);
      await refuseUnknown(trx, current);
      // Another process was faster.
      if (current >= migration.version) return { version: current, applied: false };
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
  const isNew = version === SCHEMA.version;
  // First, because it waits for running writes and keeps new ones out.
  if (!isNew) await db.closeToEarlier(trx, version);
  for (const [index, statement] of statements.entries()) {
    step.statement = index + 1;
    await trx.executeQuery(CompiledQuery.raw(db.spell(statement)));
  }
  if (isNew) await db.closeToEarlier(trx, version);
  await trx.executeQuery(
    CompiledQuery.raw(`update schema_version set version = ${version}, release = '${VERSION}'`),
  );
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
  await refuseUnknown(db.query, version);
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
  throw SchemaTooOld.whileUpdating(version, `Another process is updating it, in this step for ${seconds} s`);
}

async function appliedVersion(db: Database, trx: Trx): Promise<number> {
  if (await db.hasTable(trx, 'schema_version')) return readVersion(trx);
  await trx.executeQuery(
    CompiledQuery.raw('create table schema_version (version bigint not null, release text)'),
  );
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

async function refuseUnknown(executor: Database['query'], version: number): Promise<void> {
  if (version > 0 && version < SCHEMA.version) throw new SchemaTooOld(version, UPDATE_ELSEWHERE);
  if (version <= SCHEMA_VERSION) return;
  const { rows } = await executor.executeQuery<{ release: string | null }>(
    CompiledQuery.raw('select release from schema_version'),
  );
  const release = rows[0]?.release;
  const fitting = release ? madeBy(release) : 'a newer release';
  throw new SchemaTooNew(
    `the database has schema version ${version}, this Doorlist ${VERSION} knows up to ${SCHEMA_VERSION}: start ${fitting}`,
  );
}
