import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { start } from '../src/db/migrations/0001-start.ts';

/**
 * The same rows into the same table, and nothing else: a prepared statement, 100 rows per commit. Returns
 * rows per second.
 */
export function insertBare(rows: number): number {
  const directory = mkdtempSync(path.join(tmpdir(), 'doorlist-bare-'));
  const db = new DatabaseSync(path.join(directory, 'bare.db'));
  try {
    db.exec('pragma journal_mode = wal; pragma synchronous = full; pragma cache_size = -32768');
    for (const statement of start.statements.filter(
      (text) => /\bentry\b/.test(text) && !/\binvite\b/.test(text),
    )) {
      db.exec(statement.replace(/\bbytes\b/g, 'blob').replace(/ references \w+ \(\w+\)/g, ''));
    }
    const insert = db.prepare(
      `insert into entry (queue_id, seq, id, status, rank, person, email_hash, created_at)
       values (1, ?, ?, 'waiting', ?, ?, ?, ?)`,
    );
    const prepared = Array.from(
      { length: rows },
      (_, i) => [i + 1, randomBytes(16), i + 1, randomBytes(130), randomBytes(32), Date.now()] as const,
    );
    const startedAt = performance.now();
    for (let first = 0; first < rows; first += 100) {
      db.exec('begin immediate');
      for (const row of prepared.slice(first, first + 100)) insert.run(...row);
      db.exec('commit');
    }
    return (rows * 1000) / (performance.now() - startedAt);
  } finally {
    db.close();
    rmSync(directory, { recursive: true, force: true });
  }
}
