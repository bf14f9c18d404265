import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { rawRequest } from '../test/support/raw-http.ts';

interface Target {
  url: string;
  /** An admin token, for what only operators may open. */
  token: string;
}

export interface Attack {
  readonly name: string;
  /** Connections that stay open, and are opened again when the server closes them. */
  readonly held?: number;
  /** New connections a second, each with one request. */
  readonly perSecond?: number;
  /** What a connection sends first. */
  readonly opening: (target: Target) => string | Uint8Array;
  /** What a connection that stays open sends twice a second. */
  readonly drip?: string;
  /** Does not read the answer. */
  readonly deaf?: boolean;
}

const SIGNUP = '/sdk/v1/waitlist/signup';
const JSON_TYPE = { 'content-type': 'application/json' };
const TICK_MS = 50;
const DRIP_MS = 500;
const BOMB = gzipSync(Buffer.alloc(20_000_000, ' '));

/** The attackers share the machine with the service, so their number is what one of them does, not a thousand. */
export const ATTACKS: readonly Attack[] = [
  {
    name: '500 slow senders of headers',
    held: 500,
    opening: () => `POST ${SIGNUP} HTTP/1.1\r\nhost: localhost\r\n`,
    drip: 'x-more: 1\r\n',
  },
  {
    name: '500 slow senders of bodies',
    held: 500,
    opening: () =>
      `POST ${SIGNUP} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 9000\r\n\r\n{`,
    drip: ' ',
  },
  {
    name: '50 header bombs a second',
    perSecond: 50,
    opening: () => rawRequest('GET', '/', { 'x-bomb': 'x'.repeat(200_000) }),
  },
  {
    name: '100 smuggled requests a second',
    perSecond: 100,
    opening: () =>
      `POST ${SIGNUP} HTTP/1.1\r\nhost: localhost\r\ncontent-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\nGET / HTTP/1.1\r\n\r\n`,
  },
  {
    name: '50 decompression bombs a second',
    perSecond: 50,
    opening: () => rawRequest('POST', SIGNUP, { ...JSON_TYPE, 'content-encoding': 'gzip' }, BOMB),
  },
  { name: '300 empty connections a second', perSecond: 300, opening: () => '' },
  {
    name: '500 readers of the stream that never read',
    held: 500,
    opening: ({ token }) =>
      rawRequest('GET', '/admin/v1/stream?waitlist=wl_bench', {
        authorization: `Bearer ${token}`,
        connection: 'keep-alive',
      }),
    deaf: true,
  },
];

/** Under way when it resolves. */
export async function attack(kind: Attack, target: Target): Promise<{ end(): void }> {
  const { hostname, port } = new URL(target.url);
  const sockets = new Set<Socket>();
  const opening = kind.opening(target);
  let over = false;
  const open = () => {
    const socket = connect(Number(port), hostname);
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => {
      sockets.delete(socket);
      if (kind.held !== undefined && !over) setTimeout(open, DRIP_MS);
    });
    if (kind.deaf) socket.pause();
    else socket.resume();
    if (opening.length > 0) socket.write(opening);
    else socket.end();
  };
  for (let count = 0; count < (kind.held ?? 0); count += 1) open();
  const each = Math.round(((kind.perSecond ?? 0) * TICK_MS) / 1_000);
  const flood = setInterval(() => {
    for (let count = 0; count < each; count += 1) open();
  }, TICK_MS);
  const { drip } = kind;
  const dripping = setInterval(() => {
    if (drip !== undefined) for (const socket of sockets) if (socket.writable) socket.write(drip);
  }, DRIP_MS);
  await sleep(DRIP_MS);
  return {
    end: () => {
      over = true;
      clearInterval(flood);
      clearInterval(dripping);
      for (const socket of sockets) socket.destroy();
    },
  };
}
