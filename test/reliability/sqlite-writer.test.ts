import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { SCHEMA_VERSION } from '../../src/db/migrate.ts';
import { joinWriter, startWriter, type Writer } from '../../src/db/sqlite/writer.ts';

/** Neither can be sent to another thread. */
const UNSENDABLE = [() => {}, Symbol('x')];

describe('the SQLite writer', () => {
  let directory: string;
  let writer: Writer;
  beforeEach(async () => {
    directory = mkdtempSync(path.join(tmpdir(), 'doorlist-writer-'));
    writer = await startWriter(path.join(directory, 'test.db'), SCHEMA_VERSION, () => {});
    await writer.run({ sql: 'create table item (n integer primary key)' });
  });
  afterEach(async () => {
    await writer.close();
    rmSync(directory, { recursive: true, force: true });
  });
  const insert = (n: unknown) => writer.run({ sql: 'insert into item values (?)', parameters: [n] });
  const items = async () => (await writer.run({ sql: 'select n from item order by n' })).rows;

  it('answers each caller with its own result after a parameter that cannot be sent', async () => {
    for (const parameter of UNSENDABLE) {
      const calls = [
        insert(parameter),
        writer.run({ sql: 'select 1 as one' }),
        writer.run({ sql: 'select 2 as two' }),
      ];
      const [failed, one, two] = await Promise.allSettled(calls);
      assert.match(String((failed as PromiseRejectedResult).reason), /could not be cloned/);
      assert.deepEqual(
        [one, two].map((each) => (each as PromiseFulfilledResult<{ rows: unknown[] }>).value.rows),
        [[{ one: 1 }], [{ two: 2 }]],
      );
    }
    assert.deepEqual(await items(), []);
  });

  it('commits nothing of a transaction in which a statement could not be sent', async () => {
    const calls = [writer.run({ sql: 'begin immediate' }), insert(1), insert(UNSENDABLE[0]), insert(2)];
    const [begun, first, ...others] = await Promise.allSettled([...calls, writer.run({ sql: 'commit' })]);
    assert.deepEqual([begun?.status, first?.status], ['fulfilled', 'fulfilled']);
    assert.deepEqual(
      others.map(({ status }) => status),
      ['rejected', 'rejected', 'rejected'],
    );
    await writer.run({ sql: 'rollback' });
    assert.deepEqual(await items(), []);
    await insert(3);
    assert.deepEqual(await items(), [{ n: 3 }]);
  });

  describe('shared with another thread', () => {
    const file = () => path.join(directory, 'test.db');
    const join = async () => {
      const port = writer.share();
      return { port, other: await joinWriter(port, file(), () => {}) };
    };

    it('keeps their transactions apart', async () => {
      const { other } = await join();
      await other.run({ sql: 'begin immediate' });
      await other.run({ sql: 'insert into item values (1)' });
      const waiting = insert(2);
      await other.run({ sql: 'rollback' });
      await waiting;
      assert.deepEqual(await items(), [{ n: 2 }]);
      await other.close();
    });

    it('fails in the transaction of one without harm to the other', async () => {
      const { other } = await join();
      await other.run({ sql: 'begin immediate' });
      await assert.rejects(other.run({ sql: 'insert into nothing values (1)' }));
      const waiting = insert(3);
      await assert.rejects(other.run({ sql: 'commit' }));
      await other.run({ sql: 'rollback' });
      await waiting;
      assert.deepEqual(await items(), [{ n: 3 }]);
      await other.close();
    });

    it('takes back what one has begun that is gone, and serves the other', async () => {
      const { other, port } = await join();
      await other.run({ sql: 'begin immediate' });
      await other.run({ sql: 'insert into item values (4)' });
      const waiting = insert(5);
      port.close();
      await waiting;
      assert.deepEqual(await items(), [{ n: 5 }]);
    });

    it('ends for both', async () => {
      const { other } = await join();
      await writer.close();
      await assert.rejects(other.run({ sql: 'select 1' }), /the SQLite writer stopped/);
      writer = await startWriter(file(), SCHEMA_VERSION, () => {});
    });
  });
});
