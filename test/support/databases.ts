import { randomBytes } from 'node:crypto';
import { CITUS_URL, nodesOf, onNode } from './citus.ts';
import { query } from './query.ts';

interface DatabaseOptions {
  /** Also on the workers of a cluster. A copy is where its template is. */
  everywhere?: boolean;
}

/** Creates a database on the server, empty or as a copy of another one, and returns its URL. */
export async function createDatabase(
  serverUrl: string,
  template = 'template1',
  { everywhere = template !== 'template1' && serverUrl === CITUS_URL }: DatabaseOptions = {},
): Promise<{ url: string; drop(): Promise<void> }> {
  const name = `doorlist_${randomBytes(8).toString('hex')}`;
  const servers = everywhere
    ? (await nodesOf(serverUrl)).map((node) => onNode(serverUrl, node))
    : [serverUrl];
  await Promise.all(
    servers.map((server) => query(server, `create database ${name} template ${template} strategy file_copy`)),
  );
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  url.searchParams.set('connect_timeout', '60'); // A busy machine is no reason to fail.
  const drop = async () => {
    await Promise.all(servers.map((server) => query(server, `drop database if exists ${name} with (force)`)));
  };
  return { url: url.href, drop };
}
