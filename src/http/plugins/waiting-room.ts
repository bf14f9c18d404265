import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { MigrationWatch } from '../../db/migrate.ts';
import { corsHeadersWithoutRoutes } from './cors.ts';
import { answerParserError } from './errors.ts';
import { withoutBasePath } from './forwarded.ts';
import { requestIdOf } from './headers.ts';
import { drainBeforeClosing } from './unread-body.ts';

const RETRY_AFTER_SECONDS = 2;
const STARTING = 'the service is starting: try again in a moment';

interface WaitingRoom {
  /** Tells health checks why it takes long. */
  showMigration: MigrationWatch;
  close(): Promise<void>;
}

/**
 * Responds during startup, which can take a while if a large database is migrated: alive, but not ready. `base` is the path
 * of the public URL, which a proxy may have left in place.
 */
export async function openWaitingRoom(
  address: { host: string; port: number },
  base: string,
): Promise<WaitingRoom> {
  let doing = STARTING;
  const pathOf = withoutBasePath(base);
  const server = createServer((request, response) => {
    const [path = ''] = pathOf(request).split('?', 1);
    answer(request, response, path, doing);
  });
  server.on('clientError', answerParserError);
  server.listen(address);
  await once(server, 'listening');
  return {
    showMigration: ({ from, to, version, waitingFor }) => {
      const waiting = waitingFor.length > 0 ? ', waiting for another database session' : '';
      doing = `the service is starting: it is updating the database schema from version ${from} to ${to}, at version ${version}${waiting}`;
    },
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function answer(request: IncomingMessage, response: ServerResponse, path: string, doing: string): void {
  const cors = corsHeadersWithoutRoutes(request);
  const always = { 'cache-control': 'no-store', 'x-request-id': requestIdOf(request), connection: 'close' };
  drainBeforeClosing(request);
  if (cors.isPreflight) {
    response.writeHead(204, { ...always, ...cors.headers }).end(); // The actual request then gets the 503.
    return;
  }
  const alive = ['GET', 'HEAD'].includes(request.method ?? '') && path === '/healthz';
  const message = path === '/readyz' ? doing : STARTING;
  const body = JSON.stringify(alive ? { status: 'ok' } : { code: 'unavailable', message });
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
