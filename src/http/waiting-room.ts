import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { answerParserError } from './plugins/errors.ts';
import { requestIdOf } from './plugins/request-id.ts';

const RETRY_AFTER_SECONDS = 2;

export interface WaitingRoom {
  close(): Promise<void>;
}

/** Answers while the service starts, which takes a while when a large database migrates: it is alive, and not ready. */
export async function openWaitingRoom(address: { host: string; port: number }): Promise<WaitingRoom> {
  const server = createServer(answer);
  server.on('clientError', answerParserError);
  server.listen(address);
  await once(server, 'listening');
  return {
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function answer(request: IncomingMessage, response: ServerResponse): void {
  const alive = request.method === 'GET' && request.url === '/healthz';
  const body = JSON.stringify(
    alive
      ? { status: 'ok' }
      : { code: 'unavailable', message: 'the service is starting: try again in a moment' },
  );
  response
    .writeHead(alive ? 200 : 503, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      'cache-control': 'no-store',
      'x-request-id': requestIdOf(request),
      ...(alive ? {} : { 'retry-after': String(RETRY_AFTER_SECONDS) }),
      connection: 'close',
    })
    .end(body);
}
