import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Expression, type SqlBool, sql } from 'kysely';
import { type Database, type Trx, UniqueViolation } from '../src/db/database.ts';
import { statement } from '../src/db/statement.ts';
import { keepUp } from '../src/waitlist/upkeep/upkeep.ts';
import { CITUS_URL } from './support/citus.ts';
import { eventually, forEachEngine, type Service, startService } from './support/harness.ts';

/** As many as the planner expects, on Citus in the largest shard. */
const rowsOfEntry = CITUS_URL
  ? sql<{ count: number }>`select max(result::float) as count from run_command_on_shards('entry',
      $$select reltuples from pg_class where oid = '%s'::regclass$$)`
  : sql<{ count: number }>`select reltuples as count from pg_class where relname = 'entry'`;

const addPair = statement<{ queueId: number; seq: number }, { seq: number }>((db, parameter) =>
  db.query
    .insertInto('metadata_pair')
    .values({ queue_id: parameter('queueId'), pair_hash: Buffer.from('a'), seq: parameter('seq') })
    .returning('seq'),
);

const HOSTILE = ['', 'NULL', 'null', ',', '{}', '{"a"}', '"', '\\', '\\"', "'", '\n\t', 'ü🙂', '\\x00', ' '];

forEachEngine('locks', (engine) => {
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

    const pair = (trx: Trx, seq: number) => trx.run(addPair, { queueId, seq });
    const seqs = async () => {
      const rows = await db.query.selectFrom('metadata_pair').select('seq').orderBy('seq').execute();
      return rows.map(({ seq }) => seq);
    };

    it('runs pipelined statements in order, and returns the result of each', async () => {
      const answers = await db.transaction((trx) => Promise.all([1, 2, 3].map((seq) => pair(trx, seq))));
      assert.deepEqual(answers, [[{ seq: 1 }], [{ seq: 2 }], [{ seq: 3 }]]);
      assert.deepEqual(await seqs(), [1, 2, 3]);
    });

    it('fails all statements after a failed one, and leaves nothing', async () => {
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

    it('does not commit when a statement that nobody awaited fails', async () => {
      const failing = db.transaction(async (trx) => {
        for (const seq of [6, 1]) pair(trx, seq).catch(() => {});
      });
      await assert.rejects(failing);
      assert.deepEqual(await seqs(), [1, 2, 3]);
    });

    it('fails with the error of the write that nobody awaited, even if later statements fail because of it', async () => {
      const taken = [{ queue_id: queueId, pair_hash: Buffer.from('a'), seq: 1 }];
      const silent = db.transaction(async (trx) => trx.insert('metadata_pair', taken));
      await assert.rejects(silent, UniqueViolation);
      const behind = db.transaction(async (trx) => {
        trx.insert('metadata_pair', taken);
        await trx.selectFrom('metadata_pair').select('seq').execute();
        await pair(trx, 6);
      });
      await assert.rejects(behind, UniqueViolation);
      const unrelated = db.transaction(async (trx) => trx.write(addPair, { queueId, seq: 1 }));
      await assert.rejects(unrelated, UniqueViolation);
      assert.deepEqual(await seqs(), [1, 2, 3]);
    });

    it('writes rows as objects, whatever the order of their columns', async () => {
      const hash = Buffer.from('counted');
      await db.transaction(async (trx) => {
        trx.insert('metadata_pair', []);
        trx.insert('referral_alias', [
          { queue_id: queueId, code_hash: hash, seq: 1 },
          { seq: 2, code_hash: Buffer.from('other'), queue_id: queueId },
        ]);
        trx.insert('referral_alias', [{ queue_id: queueId, code_hash: hash, seq: 9 }], {
          onConflict: 'ignore',
        });
        trx.update('referral_alias', { key: ['queue_id', 'code_hash'] }, [
          { queue_id: queueId, code_hash: Buffer.from('other'), seq: 3 },
        ]);
        const bucket = { queue_id: queueId, level: 0, bucket: 7, waiting: 2 };
        for (let time = 0; time < 2; time += 1)
          trx.insert('rank_count', [bucket], { onConflict: { add: ['waiting'] } });
      });
      const aliases = await db.query.selectFrom('referral_alias').select('seq').orderBy('seq').execute();
      assert.deepEqual(aliases, [{ seq: 1 }, { seq: 3 }]);
      const counts = await db.query
        .selectFrom('rank_count')
        .select('waiting')
        .where('bucket', '=', 7)
        .execute();
      assert.deepEqual(counts, [{ waiting: 4 }]);
    });

    it('does not compile with rows that do not fit the table or differ in shape', () => {
      const refused = (trx: Trx, maybe: { seq?: number }) => {
        // @ts-expect-error: there is no such column.
        trx.insert('referral_alias', [{ queue_id: 1, code_hash: Buffer.from(''), seq: 1, color: 'red' }]);
        // @ts-expect-error: a column is missing.
        trx.insert('referral_alias', [{ queue_id: 1, seq: 1 }]);
        // @ts-expect-error: text is not a number.
        trx.update('referral_alias', { key: ['queue_id'] }, [{ queue_id: 1, seq: '1' }]);
        // @ts-expect-error: the key is missing.
        trx.update('referral_alias', { key: ['queue_id'] }, [{ seq: 1 }]);
        // @ts-expect-error: some rows may lack the column.
        trx.update('referral_alias', { key: ['queue_id'] }, [{ queue_id: 1, ...maybe }]);
      };
      assert.equal(typeof refused, 'function');
    });

    it('finds numbers and bytes in lists, even in empty ones', async () => {
      const found = async (condition: Expression<SqlBool>) => {
        const query = db.query.selectFrom('referral_alias').select('seq').where(condition).orderBy('seq');
        return (await query.execute()).map(({ seq }) => seq);
      };
      const hash = Buffer.from('counted');
      assert.deepEqual(await found(db.in(sql.ref('seq'), [3, 4])), [3]);
      assert.deepEqual(await found(db.in(sql.ref('seq'), [])), []);
      assert.deepEqual(await found(db.in(sql.ref('code_hash'), [hash, Buffer.from([0, 255])])), [1]);
      const bySeqs = statement<{ seqs: number[]; hashes: Uint8Array[] }, { seq: number }>(
        (spelling, parameter) =>
          spelling.query
            .selectFrom('referral_alias')
            .select('seq')
            .where((e) => spelling.in(e.ref('seq'), parameter('seqs')))
            .where((e) => spelling.in(e.ref('code_hash'), parameter('hashes'))),
      );
      const values = { seqs: [1, 3], hashes: [hash] };
      assert.deepEqual(await db.run(bySeqs, values), [{ seq: 1 }]);
      assert.deepEqual(await db.transaction((trx) => trx.run(bySeqs, values)), [{ seq: 1 }]);
      assert.deepEqual(await db.snapshot((trx) => trx.run(bySeqs, { ...values, hashes: [] })), []);
    });

    it("can fail on a statement's first use, and the statement works in the next one", async () => {
      const first = statement<{ seq: number }, object>((database, parameter) =>
        database.query
          .insertInto('metadata_pair')
          .values({ queue_id: queueId, pair_hash: Buffer.from('a'), seq: parameter('seq') }),
      );
      const use = (seq: number) => db.transaction((trx) => trx.run(first, { seq }));
      for (let attempt = 0; attempt < 3; attempt += 1) await assert.rejects(use(1), UniqueViolation);
      await use(7);
      assert.deepEqual(await seqs(), [1, 2, 3, 7]);
    });

    it('accepts rows with any text', async () => {
      await db.transaction(async (trx) => {
        const events = HOSTILE.map((text, index) => ({
          queue_id: queueId,
          id: Buffer.from([index]),
          kind: text,
          body: null,
          created_at: 0,
        }));
        trx.insert('event', events);
      });
      const rows = await db.query.selectFrom('event').select('kind').orderBy('id').execute();
      assert.deepEqual(
        rows.map(({ kind }) => kind),
        HOSTILE,
      );
    });
  });

  describe('tables that have grown', () => {
    it('are analyzed for the planner before anyone queries them', async () => {
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
          const found = await rowsOfEntry.execute(service.context.db.query);
          return found.rows[0]?.count ?? 0;
        };
        const known = await eventually(rowsKnown, (rows) => rows >= 500);
        assert.ok(known >= 500, `${known} rows`);
      } finally {
        await service.close();
      }
    });
  });
});
