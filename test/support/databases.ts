import { randomBytes } from 'node:crypto';
import pg from 'pg';

/** Creates a database on the server, empty or as a copy of another one, and returns its URL. */
export async function createDatabase(
  serverUrl: string,
  template = 'template1',
): Promise<{ url: string; drop(): Promise<void> }> {
  const name = `doorlist_${randomBytes(8).toString('hex')}`;
  await administer(serverUrl, `create database ${name} template ${template} strategy file_copy`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  url.searchParams.set('connect_timeout', '60'); // A busy machine is no reason to fail.
  return { url: url.href, drop: () => administer(serverUrl, `drop database if exists ${name} with (force)`) };
}

async function administer(serverUrl: string, command: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    await client.query(command);
  } finally {
    await client.end();
  }
}
