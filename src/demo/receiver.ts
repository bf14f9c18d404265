import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DAY_MS } from '../lib/time.ts';

export interface Receiver {
  port: number;
  close(): Promise<void>;
}

export const RECEIVER_HOST = '127.0.0.1';
export const FLAKY_PATH = '/hooks/crm';

/**
 * Where the demo's webhooks go. It is also the proxy of all webhooks, and passes nothing on: no request
 * leaves this machine.
 */
export async function startReceiver(port: number): Promise<Receiver> {
  const server = createServer(createAnswers());
  server.on('connect', (request, socket) => {
    const { port: own } = server.address() as AddressInfo;
    if (request.url !== `${RECEIVER_HOST}:${own}`) {
      socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
      return;
    }
    socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
    server.emit('connection', socket);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, RECEIVER_HOST, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Retries end after a little more than three days. What failed later would still be pending. */
const GIVEN_UP_BEFORE_MS = 3.6 * DAY_MS;

/** What was lost since then, the health check tells of. */
const TOLD_SINCE_MS = 6 * DAY_MS;

/**
 * Fails once for every 17th event, and always for every 200th of those that are old enough to be given up, and for the
 * first one that the health check tells of: in which order events come is up to the machine.
 */
function createAnswers(): RequestListener {
  const refused = new Map<string, number>();
  let seen = 0;
  let isTold = false;
  const statusFor = (id: string, sentAt: number) => {
    const before = refused.get(id);
    if (before !== undefined) return before === 503 ? 200 : before;
    seen += 1;
    const age = Date.now() - sentAt;
    const isFirst = !isTold && age < TOLD_SINCE_MS;
    const isLost = age > GIVEN_UP_BEFORE_MS && (isFirst || seen % 200 === 8);
    if (isLost && isFirst) isTold = true;
    const status = isLost ? 500 : seen % 17 === 5 ? 503 : 200;
    if (status !== 200) refused.set(id, status);
    return status;
  };
  return (request, response) => {
    request.resume();
    request.on('end', () => {
      const path = (request.url ?? '').replace(/^http:\/\/[^/]*/, '');
      const { 'webhook-id': id, 'webhook-timestamp': seconds } = request.headers;
      const status = path === FLAKY_PATH ? statusFor(String(id), Number(seconds) * 1000) : 200;
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(status === 200 ? '{"received":true}' : '{"error":"the upstream service timed out"}');
    });
  };
}
