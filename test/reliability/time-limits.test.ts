import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import { readConfig } from '../../src/config/config.ts';
import { type Database, DatabaseUnavailable } from '../../src/db/database.ts';
import { openDatabase } from '../../src/installation/open.ts';
import { createLogger } from '../../src/lib/log.ts';
import { type Proxied, proxiedPostgres } from '../support/proxied.ts';

/** Those that only a busy machine could reach are long. */
const LIMITS = { connectMs: 20_000, statementMs: 1_000, silenceMs: 1_500, idleInTransactionMs: 20_000 };
/** Longer than a statement or silence may last. */
const SLEEP = sql`select pg_sleep(3)`;

describe('a statement on PostgreSQL', () => {
  let proxied: Proxied;
  let db: Database;
  before(async () => {
    proxied = await proxiedPostgres();
    const config = readConfig(proxied.storage.environment);
    db = await openDatabase(config, createLogger('silent'), { limits: LIMITS });
  });
  after(async () => {
    await db.close();
    await proxied.close();
  });

  it('of a request is canceled when it takes too long', async () => {
    await assert.rejects(SLEEP.execute(db.query), DatabaseUnavailable);
    await assert.rejects(
      db.transaction((trx) => SLEEP.execute(trx)),
      DatabaseUnavailable,
    );
  });

  it('uses indexes, and is not compiled because a scan seems costly', async () => {
    const { rows } =
      await sql`select current_setting('enable_seqscan') as scan, current_setting('jit') as jit`.execute(
        db.query,
      );
    assert.deepEqual(rows, [{ scan: 'off', jit: 'off' }]);
  });

  it('of maintenance has no time limit', async () => {
    await SLEEP.execute(db.unlimited.query);
    await db.unlimited.transaction((trx) => SLEEP.execute(trx));
    await db.unlimited.snapshot((trx) => SLEEP.execute(trx));
  });

  it('of maintenance fails when its connection is dead, but not when it is slow', async () => {
    const working = db.unlimited.transaction(async (trx) => {
      await sql`select 1`.execute(trx);
      proxied.proxy.silence();
      await sql`select 1`.execute(trx);
    });
    await assert.rejects(working, DatabaseUnavailable);
    assert.equal((await sql`select 1`.execute(db.unlimited.query)).rows.length, 1);
  });
});
