import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A delivery as it arrived. */
export interface Received {
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
  id: string;
  at: number;
}

export type Answering = (delivery: Received, response: ServerResponse, request: IncomingMessage) => void;

export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  /** Responds with 200 by default. */
  answer: Answering;
  /** Distinct ids that arrived. */
  ids(): Set<string>;
  close(): Promise<void>;
}

export const ok: Answering = (_, response) => response.end();
export const status =
  (code: number, headers: Record<string, string> = {}, body = ''): Answering =>
  (_, response) => {
    response.writeHead(code, headers);
    response.end(body);
  };

/** A loopback server that records webhooks. */
export async function startReceiver(answer: Answering = ok): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const delivery: Received = {
        url: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
        id: String(request.headers['wh-id']),
        at: Date.now(),
      };
      received.push(delivery);
      receiver.answer(delivery, response, request);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    answer,
    ids: () => new Set(received.map(({ id }) => id)),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}
