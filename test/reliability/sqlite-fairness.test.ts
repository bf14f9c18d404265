import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, it } from 'node:test';
import { SCHEMA_VERSION } from '../../src/db/migrate.ts';
import { startWriter, type Writer } from '../../src/db/sqlite/writer.ts';
import { afterTest } from '../support/cleanup.ts';
import { runsAlone } from '../support/runs-alone.ts';
import { createStorage } from '../support/storage.ts';
import { until } from '../support/webhooks.ts';

runsAlone('it counts who of two writers comes next, which other processes would decide');

/** Takes a while, as a step of an import does. */
const LONG_WORK =
  'with recursive c(n) as (select 1 union all select n + 1 from c where n < 300000) select max(n) from c';
/** It is the next one almost always. SQLite's own waiting gives up after hundreds. */
const TURNS_MAX = 100;

describe('a process that writes one transaction after the other', () => {
  for (const [name, sql] of Object.entries({
    'a transaction': 'begin immediate',
    'a single write': 'insert into written values (1)',
  })) {
    it(`lets ${name} of another process go between two of them`, async () => {
      const storage = await createStorage('sqlite');
      afterTest(storage.remove);
      const file = path.join(storage.dataDir, 'turns.db');
      const open = async () => {
        const writer = await startWriter(file, SCHEMA_VERSION, () => {});
        afterTest(writer.close);
        return writer;
      };
      const [greedy, other] = [await open(), await open()];
      await greedy.run({ sql: 'create table written (n integer)' });
      const writing = writeOn(greedy);
      afterTest(writing.stop);

      await until('it writes', () => writing.turns() > 0);
      const before = writing.turns();
      await other.run({ sql });
      const missed = writing.turns() - before;
      if (sql === 'begin immediate') await other.run({ sql: 'rollback' });
      assert.ok(missed <= TURNS_MAX, `it waited for ${missed} transactions`);
    });
  }
});

function writeOn(writer: Writer): { turns(): number; stop(): Promise<void> } {
  let turns = 0;
  let stopped = false;
  const writing = (async () => {
    while (!stopped) {
      for (const sql of ['begin immediate', LONG_WORK, 'commit']) await writer.run({ sql });
      turns += 1;
    }
  })();
  return {
    turns: () => turns,
    stop: () => {
      stopped = true;
      return writing;
    },
  };
}
