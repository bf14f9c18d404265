import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { corsHeadersWithoutRoutes } from './cors.ts';
import { answerParserError } from './errors.ts';
import { requestIdOf } from './request-id.ts';
import { drainBeforeClosing } from './unread-body.ts';

const RETRY_AFTER_SECONDS = 2;

export interface WaitingRoom {
  close(): Promise<void>;
}

/** Responds during startup, which can take a while if a large database is migrated: alive, but not ready. */
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
  const cors = corsHeadersWithoutRoutes(request);
  const always = { 'cache-control': 'no-store', 'x-request-id': requestIdOf(request), connection: 'close' };
  drainBeforeClosing(request);
  if (cors.isPreflight) {
    response.writeHead(204, { ...always, ...cors.headers }).end(); // The actual request then gets the 503.
    return;
  }
  const alive = request.method === 'GET' && request.url === '/healthz';
  const body = JSON.stringify(
    alive
      ? { status: 'ok' }
      : { code: 'unavailable', message: 'the service is starting: try again in a moment' },
  );
  response
    .writeHead(alive ? 200 : 503, {
      ...always,
      ...cors.headers,
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      ...(alive ? {} : { 'retry-after': String(RETRY_AFTER_SECONDS) }),
    })
    .end(body);
}
