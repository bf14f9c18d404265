import { createStorage, type Storage } from './storage.ts';
import { startTcpProxy } from './tcp-proxy.ts';

export type Proxied = Awaited<ReturnType<typeof proxiedPostgres>>;

/** A new database, reached through a proxy that can fail. */
export async function proxiedPostgres() {
  const storage = await createStorage('postgres');
  const url = new URL(storage.environment.DATABASE_URL ?? '');
  const proxy = await startTcpProxy({ host: url.hostname, port: Number(url.port) });
  url.port = String(proxy.port);
  const through: Storage = { ...storage, environment: { ...storage.environment, DATABASE_URL: url.href } };
  return {
    storage: through,
    direct: storage,
    proxy,
    close: async () => {
      await proxy.close();
      await storage.remove();
    },
  };
}
