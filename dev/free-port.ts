import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

const TRIES = 50;

/** The wanted port, or the next one that is free. 0 is any. */
export async function findFreePort(host: string, wanted: number): Promise<number> {
  for (let port = wanted; port < wanted + TRIES; port += 1) {
    const free = await tryPort(host, port);
    if (free !== undefined) return free;
  }
  throw new Error(`no port from ${wanted} to ${wanted + TRIES - 1} is free on ${host}: set PORT`);
}

async function tryPort(host: string, port: number): Promise<number | undefined> {
  const server = createServer();
  try {
    server.listen({ host, port });
    await once(server, 'listening');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return undefined;
    throw error;
  }
  const { port: free } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return free;
}
