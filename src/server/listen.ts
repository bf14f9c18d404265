import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { devNull } from 'node:os';
import { setInterval } from 'node:timers';
import type { FastifyInstance } from 'fastify';
import type { Log } from '../lib/log.ts';
import { reportState } from '../lib/state-log.ts';

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

const CHECK_EVERY_MS = 1_000;

/** Without a free descriptor, the system closes new connections before Node hears of them, so nothing else would tell. */
export function watchDescriptors(log: Log): { stop(): void } {
  const timer = setInterval(() => {
    try {
      closeSync(openSync(devNull, 'r'));
      reportState(log, 'file descriptors', 'ok');
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'EMFILE' && code !== 'ENFILE') return;
      const reason = 'new connections are refused: raise the limit of open files (ulimit -n, LimitNOFILE)';
      reportState(log, 'file descriptors', 'used up', { code, reason });
    }
  }, CHECK_EVERY_MS);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
