import type { Socket } from 'node:net';
import pg from 'pg';
import type { PostgresLimits } from './postgres-pool.ts';

export const CHANNEL = 'doorlist_outbox';
/** Meanwhile polling does the work. */
const RECONNECT_AFTER_MS = 2_000;
/** A connection that hears nothing for so long is asked whether it is still there. */
const QUIET_MS = 30_000;

interface Listening {
  url: string;
  limits: PostgresLimits;
  notified(): void;
}

/**
 * Holds one connection of its own; when it is lost, another is made until the listening ends. Behind a pooler
 * notifications reach nobody: then there is no listening, and polling does all of the work.
 */
export async function listenForNotifications({
  url,
  limits,
  notified,
}: Listening): Promise<() => Promise<void>> {
  let client: Listener | undefined;
  let timer: NodeJS.Timeout | undefined;
  let ended = false;

  const connect = async () => {
    const fresh = new pg.Client({
      connectionString: url,
      application_name: 'doorlist-listen',
      connectionTimeoutMillis: limits.connectMs,
      query_timeout: limits.connectMs,
      keepAlive: true,
    }) as Listener;
    client = fresh;
    const drop = () => fresh.connection.stream.destroy();
    const lost = () => {
      drop();
      if (ended || client !== fresh) return;
      client = undefined;
      timer = setTimeout(connect, RECONNECT_AFTER_MS);
    };
    fresh.on('error', lost);
    fresh.on('end', lost);
    fresh.on('notification', notified);
    try {
      await fresh.connect();
      if (await isBehindPooler(fresh)) {
        client = undefined;
        drop();
        return;
      }
      fresh.connection.stream.setTimeout(QUIET_MS, () => fresh.query('select 1').catch(lost));
      await fresh.query(`listen ${CHANNEL}`);
      notified(); // What was said while nobody listened.
    } catch {
      lost();
    }
  };
  await connect();
  return async () => {
    ended = true;
    clearTimeout(timer);
    client?.connection.stream.destroy();
  };
}

type Listener = pg.Client & { readonly connection: { readonly stream: Socket }; readonly processID: number };

/** A pooler makes a process id up. */
async function isBehindPooler(client: Listener): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid !== client.processID;
}
