import pg from 'pg';

export const CHANNEL = 'doorlist_outbox';
/** Meanwhile polling does the work. */
const RECONNECT_AFTER_MS = 2_000;

/** Holds one connection of its own; when it is lost, another is made until the listening ends. */
export async function listenForNotifications(
  url: string,
  notified: () => void,
): Promise<() => Promise<void>> {
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let ended = false;

  const connect = async () => {
    const fresh = new pg.Client({
      connectionString: url,
      application_name: 'doorlist-listen',
      keepAlive: true,
    });
    client = fresh;
    const lost = () => {
      if (ended || client !== fresh) return;
      client = undefined;
      fresh.end().catch(() => {});
      timer = setTimeout(connect, RECONNECT_AFTER_MS);
    };
    fresh.on('error', lost);
    fresh.on('end', lost);
    fresh.on('notification', notified);
    try {
      await fresh.connect();
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
    await client?.end().catch(() => {});
  };
}
