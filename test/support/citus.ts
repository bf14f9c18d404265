import { query } from './query.ts';

/** Of a coordinator on whose nodes tests may create databases. */
export const CITUS_URL = process.env.DOORLIST_TEST_CITUS_URL;
export const WITHOUT_CITUS =
  CITUS_URL === undefined ? 'needs a Citus cluster: set DOORLIST_TEST_CITUS_URL to its coordinator' : false;

export interface Node {
  host: string;
  port: number;
  isCoordinator: boolean;
}

/** The coordinator first. */
export async function nodesOf(serverUrl: string): Promise<Node[]> {
  const rows = await query(
    serverUrl,
    `select nodename as host, nodeport as port, groupid = 0 as "isCoordinator" from pg_dist_node order by groupid`,
  );
  return rows as Node[];
}

export function onNode(url: string, { host, port }: Pick<Node, 'host' | 'port'>): string {
  const there = new URL(url);
  there.hostname = host;
  there.port = String(port);
  return there.href;
}
