import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { lookup } from '../src/db/statement.ts';
import { afterTest } from './support/cleanup.ts';
import { forEachEngine, startService } from './support/harness.ts';

/** Has an answer for every number except 0, for which PostgreSQL refuses. */
const divide = lookup<{ word: string; by: number }, { word: string; share: number }>(
  { word: 'text', by: 'bigint' },
  (db, parameter) =>
    db.query
      .selectFrom('instance')
      .select([
        sql<string>`cast(${parameter('word')} as text)`.as('word'),
        sql<number>`12 / cast(${parameter('by')} as bigint)`.as('share'),
      ]),
);

const HOSTILE = ['', 'NULL', ',', '{}', '"', '\\', '\\"', "'", 'ü🙂'];

forEachEngine('bulk', (engine) => {
  describe('lookups of one turn', () => {
    it('each get their own entry or none, by email and by phone', async () => {
      const service = await startService(engine);
      afterTest(service.close);
      const [list, other] = [await service.waitlist(), await service.waitlist()];
      for (const each of [list, other])
        await each.signup(
          { email: 'ada@example.com', metadata: { list: each.id } },
          { phone: '+14155550123' },
          { email: 'eve@example.com', referredBy: 'ada@example.com' },
        );
      const looked = [
        'eve@example.com',
        'nobody@example.com',
        'ada@example.com',
        '+14155550123',
        'ADA@example.com',
      ];
      const answers = await Promise.all([...looked.map(list.lookup), ...looked.map(other.lookup)]);
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 404, 200, 200, 200, 200, 404, 200, 200, 200],
      );
      assert.deepEqual(
        answers.map(({ body }) => [body.email, body.phone, body.position, body.referredBy]).slice(0, 4),
        [
          ['eve@example.com', null, 3, 'ada@example.com'],
          [undefined, undefined, undefined, undefined],
          ['ada@example.com', null, 1, null],
          [null, '+14155550123', 2, null],
        ],
      );
      assert.deepEqual(answers[2]?.body.metadata, { list: list.id });
      assert.deepEqual(answers[7]?.body.metadata, { list: other.id });
    });

    it('take any value, and do not fail because of another one', async () => {
      const service = await startService(engine);
      afterTest(service.close);
      const { db } = service.context;
      const words = await Promise.all(HOSTILE.map(async (word) => db.find(divide, { word, by: 1 })));
      assert.deepEqual(
        words.map((row) => row?.word),
        HOSTILE,
      );
      const shares = await Promise.allSettled(
        [6, 0, 4].map(async (by) => (await db.find(divide, { word: '', by }))?.share),
      );
      const ofZero = engine === 'postgres' ? 'rejected' : 'fulfilled';
      assert.deepEqual(
        shares.map(({ status }) => status),
        ['fulfilled', ofZero, 'fulfilled'],
      );
      assert.deepEqual(
        [shares[0], shares[2]].map((share) => (share as PromiseFulfilledResult<number>).value),
        [2, 3],
      );
    });
  });
});
