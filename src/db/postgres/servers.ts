import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { isWorthWaitingFor, rethrow } from './errors.ts';
import { explainPostgres, NoPrimary, placeIn } from './explain.ts';
import { serverUrls } from './url.ts';

const LOOK_EVERY_MS = 250;
/** How long servers that come earlier in the list may take to say that they accept writes, too. */
const HEAD_START_MS = 500;

export interface Server {
  readonly url: string;
  /** `db.example.com:5432` */
  readonly place: string;
}

/** The servers of a URL, of which one accepts writes. */
export interface Servers {
  /** Any of them, for what they have in common. */
  readonly first: Server;
  /** The one that accepts writes. If it is not known, looks for it, and waits for a promotion as long as for a connection. */
  find(): Promise<Server>;
  /** A connection failed, or its server no longer accepts writes: look again. */
  doubt(): void;
}

interface Options {
  readonly connectMs: number;
  /** Called when another one than before accepts writes. */
  readonly onFound?: ((server: Server) => void) | undefined;
}

/** A single server is not asked anything: it may be behind a proxy that follows the primary. */
export function openServers(url: string, { connectMs, onFound }: Options): Servers {
  const servers = serverUrls(url).map(describe);
  const [first] = servers as [Server];
  let known: Server | undefined;
  let last: Server | undefined;
  let looking: Promise<Server> | undefined;
  if (servers.length === 1) return { first, find: async () => first, doubt: () => {} };

  const look = async () => {
    known = await lookForPrimary(servers, connectMs);
    if (known !== last) onFound?.(known);
    last = known;
    return known;
  };
  return {
    first,
    find: async () => {
      if (known) return known;
      looking ??= look().finally(() => {
        looking = undefined;
      });
      return looking;
    },
    doubt: () => {
      known = undefined;
    },
  };
}

function describe(url: string): Server {
  return { url, place: placeIn(new URL(url)) };
}

/**
 * All are asked at the same time, again and again, so that none that is switched off delays the others. If more than one
 * accepts writes, every process chooses the one that comes first in the list.
 */
async function lookForPrimary(servers: readonly Server[], connectMs: number): Promise<Server> {
  const giveUpAt = performance.now() + connectMs;
  const failures = new Map<Server, Error>();
  const found = new Set<Server>();
  const asking = new Set<pg.Client>();
  let ended = false;
  const watch = async (server: Server, answered: () => void): Promise<void> => {
    for (;;) {
      const failure = await whyNotWritable(server, connectMs, asking);
      if (failure) failures.set(server, failure);
      else found.add(server);
      answered();
      if (!failure) return;
      const isHopeless = !(failure instanceof NoPrimary || isWorthWaitingFor(failure));
      if (ended || isHopeless || performance.now() >= giveUpAt) throw failure;
      await pause(LOOK_EVERY_MS);
    }
  };
  const answers: Promise<void>[] = [];
  const watches = servers.map((server) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    answers.push(promise);
    return watch(server, resolve);
  });
  const all = Promise.allSettled(watches);
  try {
    await Promise.any(watches);
    await Promise.race([Promise.all(answers), all, pause(HEAD_START_MS)]);
  } catch {
    throw summary(servers, failures);
  } finally {
    ended = true;
    for (const client of asking) client.connection.stream.destroy(); // One without an answer would keep a command waiting.
  }
  return servers.find((server) => found.has(server)) as Server;
}

async function whyNotWritable(
  { url }: Server,
  connectMs: number,
  asking: Set<pg.Client>,
): Promise<Error | undefined> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'doorlist-find',
    connectionTimeoutMillis: connectMs,
    query_timeout: connectMs,
  });
  client.on('error', () => {});
  asking.add(client);
  try {
    await client.connect();
    const { rows } = await client.query<{ transaction_read_only: string }>('show transaction_read_only');
    return rows[0]?.transaction_read_only === 'off' ? undefined : new NoPrimary('is read-only');
  } catch (error) {
    return translated(error as Error);
  } finally {
    asking.delete(client);
    client.connection.stream.destroy();
  }
}

function translated(error: Error): Error {
  try {
    return rethrow(error);
  } catch (ours) {
    return ours as Error;
  }
}

/** If waiting cannot help with any of them, such as a wrong password, the first reason says it all. */
function summary(servers: readonly Server[], failures: ReadonlyMap<Server, Error>): Error {
  const known = servers.map(
    (server) => [server, failures.get(server) ?? new NoPrimary('gave no answer')] as const,
  );
  const [[, first]] = known as unknown as [[Server, Error]];
  if (known.every(([, error]) => !(error instanceof NoPrimary || isWorthWaitingFor(error)))) return first;
  const reasons = known.map(([server, error]) =>
    error instanceof NoPrimary
      ? `${server.place} ${error.message}.`
      : (explainPostgres(error, server.url) ?? `${server.place}: ${error.message}.`),
  );
  return new NoPrimary(`No server in DATABASE_URL accepts writes. ${reasons.join(' ')}`);
}
