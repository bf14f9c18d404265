import assert from 'node:assert/strict';
import { afterTest } from './cleanup.ts';
import { query } from './query.ts';
import { createStorage, postgresServerUrl, unique } from './storage.ts';
import { typed } from './terminal.ts';

export const ALL_GRANTS = 'select, insert, update, delete';

/** A database with the schema, and a user who does not own the tables. */
export async function databaseOfAnother() {
  const storage = await createStorage('postgres');
  const owner = storage.environment.DATABASE_URL ?? '';
  const { code, error } = await typed(storage.environment, 'migrate');
  assert.equal(code, 0, error);
  const role = unique('app_');
  await query(owner, `create role ${role} login password 'hunter2'`);
  afterTest(async () => {
    await storage.remove();
    await query(postgresServerUrl(), `drop role ${role}`);
  });
  const url = new URL(owner);
  url.username = role;
  url.password = 'hunter2';
  const environment = { ...storage.environment, DATABASE_URL: url.href };
  return { role, storage: { ...storage, environment }, sql: (text: string) => query(owner, text) };
}
