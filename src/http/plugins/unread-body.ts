import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** Enough for the rest of any body that a client sends by mistake. */
const DRAIN_BYTES_MAX = 32 * 1024 * 1024;
export const DRAIN_MS_MAX = 10_000;

/** Whether a request is answered before its body has arrived. */
export function isUnread({ complete, headers }: IncomingMessage): boolean {
  return !complete && (headers['content-length'] ?? headers['transfer-encoding']) !== undefined;
}

/**
 * Lets the answer to an unread request arrive. Closed with input left unread, a connection is reset, and a client that
 * first writes all of its body never sees the answer. So the answer is sent, the sending side closed, and the rest of
 * the body thrown away up to a limit; then the connection is destroyed. The answer must say `Connection: close`.
 */
export function drainBeforeClosing(request: IncomingMessage): void {
  const { socket } = request;
  let drained = 0;
  // Begun before the answer: once it is finished, Node throws the rest away without telling how much there is.
  request.on('data', ({ length }: Buffer) => {
    drained += length;
    if (drained > DRAIN_BYTES_MAX) socket.destroy();
  });
  request.resume();
  // Node calls this when the last answer of a connection has been handed over.
  socket.destroySoon = () => {
    if (request.complete) {
      socket.end(() => socket.destroy());
      return;
    }
    request.once('end', () => socket.destroy());
    destroyWithin(socket, DRAIN_MS_MAX);
    socket.end();
  };
}

/** A client that never closes its side must not keep the connection. */
export function destroyWithin(socket: Socket, ms: number): void {
  const timer = setTimeout(() => socket.destroy(), ms).unref();
  socket.once('close', () => clearTimeout(timer));
}
