import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** Connections that wait to be accepted, on each thread. */
const BACKLOG = 4096;

export interface Address {
  host: string;
  port: number;
}

/** Returns the port, which the system chooses if it was 0. Whoever does not share it is refused. */
export async function listenOn(app: FastifyInstance, address: Address, isShared: boolean): Promise<number> {
  const options = { ...address, backlog: BACKLOG, reusePort: isShared };
  await app.listen(options);
  return (app.server.address() as AddressInfo).port;
}

/** Whether several threads can listen on one port, among which the system divides the connections. */
export async function canSharePorts(host: string): Promise<boolean> {
  const server = createServer();
  server.listen({ host, port: 0, reusePort: true });
  try {
    await once(server, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}
