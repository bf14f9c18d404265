import type { Engine } from '../../src/db/database.ts';
import { afterTest } from './cleanup.ts';
import { type RunningProcess, startProcess } from './process.ts';
import { createStorage, type Storage, unique } from './storage.ts';
import { jsonOf } from './terminal.ts';
import { clientsOfThreads, type ThreadClient } from './thread-clients.ts';

export const THREADS = 4;

export interface ThreadedServer {
  storage: Storage;
  server: RunningProcess;
  waitlistId: string;
  key: string;
  /** One for each thread. */
  clients: ThreadClient[];
}

/** The real server with several threads, for one test, with a waitlist and a key. */
export async function startThreaded(
  engine: Engine,
  environment: Record<string, string> = {},
): Promise<ThreadedServer> {
  const storage = await createStorage(engine, { migrated: true });
  afterTest(storage.remove);
  const server = await startProcess({
    ...{ ...storage.environment, DOORLIST_WORKERS: String(THREADS) },
    ...environment,
  });
  afterTest(() => server.stop('SIGKILL'));
  const { waitlistId, key } = await addWaitlist(storage);
  const clients = await clientsOfThreads(server.url, THREADS);
  afterTest(() => clients.forEach((client) => void client.close()));
  return { storage, server, waitlistId, key, clients };
}

async function addWaitlist({ environment }: Storage): Promise<{ waitlistId: string; key: string }> {
  const waitlistId = unique('wl_');
  await jsonOf(environment, 'waitlist', 'create', waitlistId, '--name', 'Acme');
  const words = ['key', 'create', '--waitlist', waitlistId, '--env', 'production', '--read'];
  const { key } = await jsonOf<{ key: string }>(environment, ...words);
  return { waitlistId, key };
}

export async function tokenFor({ environment }: Storage, role = 'owner'): Promise<string> {
  const words = ['admin-token', 'create', '--name', unique('token '), '--role', role];
  return (await jsonOf<{ token: string }>(environment, ...words)).token;
}

export function signup(
  client: ThreadClient,
  { waitlistId, key }: Pick<ThreadedServer, 'waitlistId' | 'key'>,
  ...emails: string[]
) {
  return client.request<{ created: number; skipped: number }>('POST', '/sdk/v1/waitlist/signup', {
    key,
    body: { waitlistId, entries: emails.map((email) => ({ email })) },
  });
}
