import { CompiledQuery } from 'kysely';
import type { Database, Trx } from './database.ts';
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
import type { Migration } from './migrations/migration.ts';

export const MIGRATIONS: readonly Migration[] = [
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
];
export const SCHEMA_VERSION = MIGRATIONS.length;

export class SchemaTooNew extends Error {
  override name = 'SchemaTooNew';
}

/** Updates the schema. Safe if several processes start at once. Returns the applied versions. */
export async function migrate(db: Database, upTo: number = SCHEMA_VERSION): Promise<number[]> {
  if ((await schemaVersion(db)) === upTo) return [];
  return db.transaction(async (trx) => {
    await db.lockSchema(trx);
    const current = await appliedVersion(db, trx);
    refuseNewer(current);
    const applied: number[] = [];
    for (const migration of MIGRATIONS.slice(current, upTo)) {
      for (const statement of migration.statements) {
        await trx.executeQuery(CompiledQuery.raw(db.spell(statement)));
      }
      applied.push(migration.version);
    }
    await trx.executeQuery(
      CompiledQuery.raw(`update schema_version set version = ${Math.max(current, upTo)}`),
    );
    return applied;
  });
}

/** Returns 0 for an empty database. Changes nothing. */
export async function schemaVersion(db: Database): Promise<number> {
  if (!(await db.hasTable(db.query, 'schema_version'))) return 0;
  const version = await readVersion(db.query);
  refuseNewer(version);
  return version;
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

function refuseNewer(version: number): void {
  if (version > SCHEMA_VERSION) {
    throw new SchemaTooNew(
      `the database has schema version ${version}, this Doorlist knows up to ${SCHEMA_VERSION}: start a newer release`,
    );
  }
}
