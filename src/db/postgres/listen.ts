import type { Socket } from 'node:net';
import pg from 'pg';
import { createChanges } from '../changes.ts';
import { BehindPooler } from './explain.ts';
import type { ConnectionState, PostgresLimits } from './pool.ts';
import type { Servers } from './servers.ts';

export const CHANNEL = 'doorlist_outbox';
/** Polling takes over in the meantime. */
const RECONNECT_AFTER_MS = 2_000;
/** When the system begins to check a connection without traffic, which costs the server nothing. */
const KEEP_ALIVE_AFTER_MS = 10_000;
/** Asked this rarely, because an idle database may sleep. */
const QUIET_MS = 10 * 60_000;

/** The application name by which others know who listens for work. */
export const LISTENER = 'doorlist-listen';

interface Options {
  servers: Servers;
  /** Whether there is a URL that avoids a pooler. */
  isDirect: boolean;
  limits: PostgresLimits;
  onState?: ((state: ConnectionState, error?: Error) => void) | undefined;
}

export interface Notifications {
  readonly isDirect: boolean;
  /** Returns a function that stops listening. */
  listen(notified: () => void): Promise<() => Promise<void>>;
}

/** Listens while anybody does, on one connection for all. */
export function shareNotifications(options: Options): Notifications {
  const listeners = createChanges();
  let listening: Promise<() => Promise<void>> | undefined;
  return {
    isDirect: options.isDirect,
    listen: async (notified) => {
      const end = listeners.listen(notified);
      listening ??= listenForNotifications({ ...options, notified: listeners.tell });
      await listening;
      return async () => {
        end();
        if (listeners.hasListeners) return;
        const ending = listening;
        listening = undefined;
        await (await ending)?.();
      };
    },
  };
}

/**
 * Keeps its own connection and reconnects when it is lost. Behind a pooler, notifications do not arrive, so
 * it does not listen, and polling does all the work.
 */
async function listenForNotifications({
  servers,
  limits,
  onState,
  notified,
}: Options & { notified(): void }): Promise<() => Promise<void>> {
  let client: Listener | undefined;
  let timer: NodeJS.Timeout | undefined;
  let ended = false;

  const again = () => {
    servers.doubt();
    timer = setTimeout(connect, RECONNECT_AFTER_MS);
  };
  const connect = async () => {
    const found = await servers.find().catch((error: Error) => {
      if (ended) return;
      onState?.('unavailable', error);
      again();
    });
    if (!found || ended) return;
    const fresh = new pg.Client({
      connectionString: found.url,
      application_name: LISTENER,
      connectionTimeoutMillis: limits.connectMs,
      query_timeout: limits.connectMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
    }) as Listener;
    client = fresh;
    const drop = () => fresh.connection.stream.destroy();
    const lost = () => {
      drop();
      if (ended || client !== fresh) return;
      client = undefined;
      again();
    };
    fresh.on('error', lost);
    fresh.on('end', lost);
    fresh.on('notification', notified);
    try {
      await fresh.connect();
      if (await isBehindPooler(fresh)) {
        client = undefined;
        drop();
        onState?.('unavailable', new BehindPooler());
        return;
      }
      fresh.connection.stream.setTimeout(QUIET_MS, () => fresh.query('select 1').catch(lost));
      await fresh.query(`listen ${CHANNEL}`);
      onState?.('ok');
      notified(); // Something may have been sent while the connection was down.
    } catch (error) {
      if (!ended) onState?.('unavailable', error as Error);
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

/** A pooler reports a made-up process id. */
async function isBehindPooler(client: Listener): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid !== client.processID;
}
