import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import { type Database, type Trx, UniqueViolation } from '../src/db/database.ts';
import { statement } from '../src/db/statement.ts';
import { EVENT_COLUMNS } from '../src/db/tables.ts';
import { keepUp } from '../src/waitlist/upkeep/upkeep.ts';
import { forEachEngine, type Service, startService } from './support/harness.ts';

const addPair = statement<{ queueId: number; seq: number }, { seq: number }>((db, parameter) =>
  db.query
    .insertInto('metadata_pair')
    .values({ queue_id: parameter('queueId'), pair_hash: Buffer.from('a'), seq: parameter('seq') })
    .returning('seq'),
);

const HOSTILE = ['', 'NULL', 'null', ',', '{}', '{"a"}', '"', '\\', '\\"', "'", '\n\t', 'ü🙂', '\\x00', ' '];

forEachEngine((engine) => {
  describe('a transaction', () => {
    let service: Service;
    let db: Database;
    let queueId: number;
    before(async () => {
      service = await startService(engine);
      db = service.context.db;
      queueId = (await (await service.waitlist()).queue()).id;
    });
    after(() => service.close());

    const pair = (trx: Trx, seq: number) => addPair.within(db, trx, { queueId, seq });
    const seqs = async () => {
      const rows = await db.query.selectFrom('metadata_pair').select('seq').orderBy('seq').execute();
      return rows.map(({ seq }) => seq);
    };

    it('runs what is sent together in order, and answers each', async () => {
      const answers = await db.transaction((trx) => Promise.all([1, 2, 3].map((seq) => pair(trx, seq))));
      assert.deepEqual(answers, [[{ seq: 1 }], [{ seq: 2 }], [{ seq: 3 }]]);
      assert.deepEqual(await seqs(), [1, 2, 3]);
    });

    it('of which one statement fails fails those behind it, and leaves nothing', async () => {
      const settled: PromiseSettledResult<unknown>[] = [];
      const failing = db.transaction(async (trx) => {
        settled.push(...(await Promise.allSettled([4, 3, 5].map((seq) => pair(trx, seq)))));
      });
      await assert.rejects(failing);
      assert.deepEqual(
        settled.map(({ status }) => status),
        ['fulfilled', 'rejected', 'rejected'],
      );
      assert.ok((settled[1] as PromiseRejectedResult).reason instanceof UniqueViolation);
      assert.deepEqual(await seqs(), [1, 2, 3]);
    });

    it('whose failed statement nobody waited for does not commit', async () => {
      const failing = db.transaction(async (trx) => {
        for (const seq of [6, 1]) pair(trx, seq).catch(() => {});
      });
      await assert.rejects(failing);
      assert.deepEqual(await seqs(), [1, 2, 3]);
    });

    it('may fail with a statement at its first use, and that statement works in the next', async () => {
      const first = statement<{ seq: number }, object>((database, parameter) =>
        database.query
          .insertInto('metadata_pair')
          .values({ queue_id: queueId, pair_hash: Buffer.from('a'), seq: parameter('seq') }),
      );
      const use = (seq: number) => db.transaction((trx) => first.within(db, trx, { seq }));
      for (let attempt = 0; attempt < 3; attempt += 1) await assert.rejects(use(1), UniqueViolation);
      await use(7);
      assert.deepEqual(await seqs(), [1, 2, 3, 7]);
    });

    it('takes rows of any text', async () => {
      await db.transaction((trx) =>
        db.insertRows(trx, {
          table: 'event',
          columns: EVENT_COLUMNS,
          rows: HOSTILE.map((text, index) => [queueId, Buffer.from([index]), text, null, 0]),
        }),
      );
      const rows = await db.query.selectFrom('event').select('kind').orderBy('id').execute();
      assert.deepEqual(
        rows.map(({ kind }) => kind),
        HOSTILE,
      );
    });
  });

  describe('tables that have grown', () => {
    it('are known to the planner before anybody else looks at them', async () => {
      const service = await startService(engine);
      try {
        const list = await service.waitlist();
        for (let batch = 0; batch < 10; batch += 1)
          await list.signup(
            ...Array.from({ length: 100 }, (_, i) => ({ email: `${batch}x${i}@example.com` })),
          );
        if (engine === 'sqlite') return await keepUp(service.context);
        const rowsKnown = async () => {
          await keepUp(service.context);
          const found = await sql<{ reltuples: number }>`select reltuples from pg_class
            where relname = 'entry'`.execute(service.context.db.query);
          return found.rows[0]?.reltuples ?? 0;
        };
        for (const giveUpAt = performance.now() + 20_000; (await rowsKnown()) < 500; )
          assert.ok(performance.now() < giveUpAt, 'in vain');
      } finally {
        await service.close();
      }
    });
  });
});
