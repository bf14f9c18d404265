import pg from 'pg';

/** One statement on a connection of its own. */
export async function query(url: string, command: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(command)).rows;
  } finally {
    await client.end();
  }
}
