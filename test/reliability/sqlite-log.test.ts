import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, it } from 'node:test';
import { checkpointsBeside } from '../../src/db/sqlite/checkpoints.ts';
import { CHECKPOINT_PAGES, LOG_LIMIT_BYTES } from '../../src/db/sqlite/writer.ts';
import { keepUp } from '../../src/waitlist/upkeep/upkeep.ts';
import { afterTest } from '../support/cleanup.ts';
import { fillQueue } from '../support/crowd.ts';
import { eventually, type Service, startService } from '../support/harness.ts';
import { createStorage } from '../support/storage.ts';

let service: Service;
before(async () => {
  service = await startService('sqlite');
});
after(() => service.close());

it('shrinks the write-ahead log once no reader holds it, and serves requests meanwhile', async () => {
  const list = await service.waitlist();
  const queue = await list.queue();
  const file = path.join(service.storage.dataDir, 'doorlist.db');
  const logSize = () => statSync(`${file}-wal`).size;
  const reader = new DatabaseSync(file, { readOnly: true });
  try {
    reader.exec('begin');
    reader.prepare('select count(*) from entry').get(); // From here on nothing behind this snapshot can be reused.
    const metadata = { note: 'x'.repeat(8_000) };
    for (let round = 0; logSize() <= LOG_LIMIT_BYTES; round += 1) {
      await fillQueue(service.context, queue, 2_000, (n) => ({
        email: `r${round}.${n}@example.com`,
        metadata,
      }));
    }
    await keepUp(service.context);
    assert.ok(logSize() > LOG_LIMIT_BYTES, 'the reader still needs the log');
    assert.equal((await list.signup({ email: 'meanwhile@example.com' })).status, 201);
  } finally {
    reader.close();
  }
  const size = await eventually(
    async () => {
      await keepUp(service.context);
      return logSize();
    },
    (bytes) => bytes <= LOG_LIMIT_BYTES,
  );
  assert.ok(size <= LOG_LIMIT_BYTES, `${size} bytes`);
  assert.equal((await list.signup({ email: 'afterwards@example.com' })).status, 201);
});

it('copies the log into the database on another thread, and leaves little for the writer', async () => {
  const storage = await createStorage('sqlite');
  afterTest(storage.remove);
  const file = path.join(storage.dataDir, 'log.db');
  const database = new DatabaseSync(file);
  afterTest(() => database.close());
  database.exec('pragma journal_mode = wal; pragma wal_autocheckpoint = 0; create table item (content)');
  const log = () =>
    database.prepare('pragma wal_checkpoint(noop)').get() as { log: number; checkpointed: number };
  const pagesToCopy = () => log().log - log().checkpointed;
  const leftToWriter: number[] = [];
  const checkpoints = checkpointsBeside(file, {
    pages: () => log().log,
    pagesToCopy,
    copy: () => {
      leftToWriter.push(pagesToCopy());
      database.exec('pragma wal_checkpoint(passive)');
    },
  });
  afterTest(checkpoints.close);
  const write = (pages: number) =>
    database.prepare('insert into item values (zeroblob(?))').run(pages * 4_096);

  write(CHECKPOINT_PAGES);
  assert.ok(pagesToCopy() >= CHECKPOINT_PAGES);
  await eventually(
    async () => checkpoints.advance(),
    () => leftToWriter.length > 0,
  );
  assert.deepEqual(leftToWriter, [0]);
  write(1);
  assert.ok(log().log < 10, 'the log begins anew');
});
