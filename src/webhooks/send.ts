import type { KeyObject } from 'node:crypto';
import { VERSION } from '../lib/root.ts';
import { parseRetryAfter } from '../outbox/deliver.ts';
import type { Attempt } from '../outbox/delivery.ts';
import { type Guard, RefusedTarget } from './guard.ts';
import { DeadlinePassed, lazyDispatcher, MustNotBegin, post } from './requests.ts';
import { sign } from './signing.ts';

/** For everything: name lookup, connection, request and response. */
export const DEADLINE_MS = 15_000;
const MOST_URLS_REMEMBERED = 10_000;
const CONTENT_TYPE = 'application/json';
const USER_AGENT = `Doorlist/${VERSION}`;

interface Outgoing {
  url: string;
  headers: Readonly<Record<string, string>>;
  /** Two during a rotation. Without any, there is no signature. */
  keys: readonly KeyObject[];
  id: string;
  body: string;
}

export interface Sender {
  /**
   * Calls `mayBegin` once there is a connection, right before the first byte. Throws MustNotBegin if it
   * returns false.
   */
  send(outgoing: Outgoing, now: number, mayBegin?: () => boolean): Promise<Attempt<string>>;
  close(): Promise<void>;
}

/**
 * Posts to destinations that the guard allows. With a proxy, the proxy resolves names and must guard against
 * private addresses.
 */
export function createSender(
  guard: Guard,
  { proxyUrl, deadlineMs = DEADLINE_MS }: { proxyUrl?: string | undefined; deadlineMs?: number } = {},
): Sender {
  const common = { headersTimeout: deadlineMs, bodyTimeout: deadlineMs, pipelining: 1, allowH2: false };
  const lazy = lazyDispatcher({ ...common, connect: guard.connect, proxyUrl });

  /** The checks of a URL never change. What its name resolves to is checked at each connection. */
  const checked = new Map<string, URL>();
  const check = (text: string): URL => {
    const known = checked.get(text);
    if (known) return known;
    const url = proxyUrl === undefined ? guard.checkUrl(text) : guard.checkProxied(text);
    if (checked.size >= MOST_URLS_REMEMBERED) checked.clear();
    checked.set(text, url);
    return url;
  };

  return {
    send: async (outgoing, now, mayBegin) => {
      const startedAt = performance.now();
      const took = () => Math.round(performance.now() - startedAt);
      try {
        const url = check(outgoing.url);
        const headers = headersOf(outgoing, now);
        const dispatcher = await lazy.open();
        const answer = await post(dispatcher, { url, headers, body: outgoing.body }, deadlineMs, mayBegin);
        const { status } = answer;
        const ok = status >= 200 && status < 300;
        const retryAfter = answer.headers['retry-after'];
        return {
          ok,
          status,
          error: ok ? null : describeStatus(status),
          response: answer.text,
          durationMs: took(),
          retryAfterMs: ok ? 0 : parseRetryAfter(retryAfter, now),
        };
      } catch (error) {
        if (error instanceof MustNotBegin) throw error;
        const words = describeFailure(error as NodeJS.ErrnoException, deadlineMs);
        const none = { status: null, response: null, retryAfterMs: 0 };
        return { ok: false, error: words, durationMs: took(), ...none };
      }
    },
    close: lazy.destroy,
  };
}

function headersOf({ headers, keys, id, body }: Outgoing, now: number): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000));
  const signature = keys.map((key) => `v1,${sign(key, id, timestamp, body).toString('base64')}`).join(' ');
  return {
    ...headers,
    'content-type': CONTENT_TYPE,
    'user-agent': USER_AGENT,
    'wh-id': id,
    'wh-timestamp': timestamp,
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    ...(keys.length > 0 ? { 'wh-signature': signature, 'webhook-signature': signature } : {}),
  };
}

/** The headers of every attempt. null for those that each attempt has its own value of. */
export function plainHeaders(id: string): Record<string, string | null> {
  return {
    'content-type': CONTENT_TYPE,
    'user-agent': USER_AGENT,
    'wh-id': id,
    'wh-timestamp': null,
    'wh-signature': null,
    'webhook-id': id,
    'webhook-timestamp': null,
    'webhook-signature': null,
  };
}

function describeStatus(status: number): string {
  if (status >= 300 && status < 400) return `answered ${status}: redirects are not followed`;
  if (status === 410) return 'answered 410: it wants no more deliveries';
  return `answered ${status}`;
}

const FAILURES: Record<string, string> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was closed while sending',
  UND_ERR_SOCKET: 'the connection was closed before an answer came',
  UND_ERR_CONNECT_TIMEOUT: 'no connection within 5 s',
  ETIMEDOUT: 'no connection in time',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  ENOTFOUND: 'the name does not resolve',
  EAI_AGAIN: 'the name does not resolve at the moment',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the answer is not valid HTTP',
  UND_ERR_HEADERS_OVERFLOW: 'the headers of the answer are too large',
};

function describeFailure(error: NodeJS.ErrnoException, deadlineMs: number): string {
  if (error instanceof RefusedTarget) return `refused: the URL ${error.message}`;
  const code = error.code ?? '';
  if (error instanceof DeadlinePassed || /^UND_ERR_(HEADERS|BODY)_TIMEOUT$/.test(code))
    return `no answer within ${deadlineMs / 1000} s`;
  const known = FAILURES[code];
  if (known) return known;
  if (/^(ERR_SSL_|EPROTO$)/.test(code)) return `the TLS connection failed (${code})`;
  if (/CERT|TLS|SELF_SIGNED|UNABLE_TO/.test(code)) return `the TLS certificate is not accepted (${code})`;
  if (code.startsWith('HPE_') || error.name === 'HTTPParserError') return 'the answer is not valid HTTP';
  return `failed (${code || error.name})`;
}
