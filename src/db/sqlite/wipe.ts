import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import { statement } from '../statement.ts';
import type { Writer } from './writer.ts';

/** Signups wait for this. Our own reads are shorter; for longer ones there is the next attempt. */
const WAIT_FOR_READERS_MS = 50;
/** The checkpoint that runs beside the writer now and then is over by then. */
const CHECKPOINT_ATTEMPTS = 20;
const CHECKPOINT_ATTEMPT_MS = 25;

export const countErasure = statement<object, object>((db) =>
  db.query.updateTable('instance').set({ erasures: sql`erasures + 1` }),
);
const WIPED_UP_TO = 'update instance set erasures_wiped = ? where erasures_wiped < ?';

/**
 * `secure_delete` overwrites erased data in the database, but the log still has the old bytes until it has
 * been copied into the database and truncated. Returns false if a reader still needs the log.
 */
export async function wipeErased(writer: Writer): Promise<boolean> {
  const release = await writer.lock();
  try {
    const marks = await writer.run({ sql: 'select erasures, erasures_wiped from instance' });
    const [mark] = marks.rows as { erasures: number; erasures_wiped: number }[];
    if (!mark || mark.erasures === mark.erasures_wiped) return true;
    if (!(await cutLog(writer))) return false;
    await writer.run({ sql: WIPED_UP_TO, parameters: [mark.erasures, mark.erasures] });
    return true;
  } finally {
    release();
  }
}

interface Checkpoint {
  busy: number;
  log: number;
  checkpointed: number;
}

async function cutLog(writer: Writer): Promise<boolean> {
  const checkpoint = async (mode: string) => {
    const { rows } = await writer.run({ sql: `pragma wal_checkpoint(${mode})` });
    return rows[0] as Checkpoint;
  };
  // Does not wait for readers. If it cannot finish, truncating the log would wait as long as the reader
  // reads.
  let passive = await checkpoint('passive');
  for (let attempt = 1; passive.busy !== 0 && attempt < CHECKPOINT_ATTEMPTS; attempt += 1) {
    await pause(CHECKPOINT_ATTEMPT_MS);
    passive = await checkpoint('passive');
  }
  if (passive.busy !== 0 || passive.checkpointed < passive.log) return false;
  await writer.run({ sql: `pragma busy_timeout = ${WAIT_FOR_READERS_MS}` });
  try {
    return (await checkpoint('truncate')).busy === 0;
  } finally {
    await writer.run({ sql: 'pragma busy_timeout = 0' });
  }
}
