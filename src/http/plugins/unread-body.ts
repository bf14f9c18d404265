import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** Enough for the rest of any body that a client sends by mistake. */
const DRAIN_BYTES_MAX = 32 * 1024 * 1024;
export const DRAIN_MS_MAX = 10_000;

/** Whether a response is sent before the request's body has arrived. */
export function isUnread({ complete, headers }: IncomingMessage): boolean {
  return !complete && (headers['content-length'] ?? headers['transfer-encoding']) !== undefined;
}

/**
 * Closing a connection with unread input resets it, and a client that writes its whole body first would never
 * see the response. So this sends the response, closes the sending side, and discards the rest of the body up
 * to a limit before it destroys the connection. The response must have `Connection: close`.
 */
export function drainBeforeClosing(request: IncomingMessage): void {
  const { socket } = request;
  let drained = 0;
  // Before the response: once it is finished, Node discards the rest without reporting its size.
  request.on('data', ({ length }: Buffer) => {
    drained += length;
    if (drained > DRAIN_BYTES_MAX) socket.destroy();
  });
  request.resume();
  // Node calls this after handing over the last response of a connection.
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

/** A client that never closes its side must not keep the connection open. */
export function destroyWithin(socket: Socket, ms: number): void {
  const timer = setTimeout(() => socket.destroy(), ms).unref();
  socket.once('close', () => clearTimeout(timer));
}
