import type { KeyObject } from 'node:crypto';
import { Agent, type Dispatcher, ProxyAgent, request } from 'undici';
import { VERSION } from '../../version.ts';
import type { Attempt } from '../outbox/channel.ts';
import { parseRetryAfter } from '../outbox/schedule.ts';
import { type Guard, RefusedTarget } from './guard.ts';
import { sign } from './verify.ts';

/** For everything together: name, connection, request, answer. */
export const DEADLINE_MS = 15_000;
/** Of an answer; the rest is not read. */
const RESPONSE_BYTES_MAX = 16 * 1024;
const MOST_URLS_REMEMBERED = 10_000;

export interface Outgoing {
  url: string;
  headers: Readonly<Record<string, string>>;
  /** During a rotation there are two. */
  keys: readonly KeyObject[];
  id: string;
  body: string;
}

export interface Sender {
  send(outgoing: Outgoing, now: number): Promise<Attempt>;
  close(): Promise<void>;
}

/** Posts to wherever the guard lets it; through a proxy the proxy resolves names, and is the guard for them. */
export function createSender(
  guard: Guard,
  { proxyUrl, deadlineMs = DEADLINE_MS }: { proxyUrl?: string | undefined; deadlineMs?: number } = {},
): Sender {
  const common = { headersTimeout: deadlineMs, bodyTimeout: deadlineMs, pipelining: 1, allowH2: false };
  const dispatcher: Dispatcher =
    proxyUrl === undefined
      ? new Agent({ ...common, connect: guard.connect })
      : new ProxyAgent({ ...common, uri: proxyUrl });

  /** What the URL alone tells does not change; what its name resolves to is checked at each connection. */
  const checked = new Set<string>();
  const checkOnce = (url: string) => {
    if (checked.has(url)) return;
    guard.checkUrl(url);
    if (checked.size >= MOST_URLS_REMEMBERED) checked.clear();
    checked.add(url);
  };

  return {
    send: async (outgoing, now) => {
      const startedAt = performance.now();
      const deadline = new AbortController();
      const timer = setTimeout(() => deadline.abort(new DeadlinePassed()), deadlineMs);
      const ended = (result: Omit<Attempt, 'durationMs'>): Attempt => ({
        ...result,
        durationMs: Math.round(performance.now() - startedAt),
      });
      try {
        checkOnce(outgoing.url);
        const answer = await request(outgoing.url, {
          dispatcher,
          method: 'POST',
          headers: headersOf(outgoing, now),
          body: outgoing.body,
          signal: deadline.signal,
        });
        const status = answer.statusCode;
        const ok = status >= 200 && status < 300;
        const response = await readSome(answer.body);
        const retryAfter = answer.headers['retry-after'];
        return ended({
          ok,
          status,
          error: ok ? null : describeStatus(status),
          response,
          retryAfterMs: parseRetryAfter(Array.isArray(retryAfter) ? retryAfter[0] : retryAfter, now),
        });
      } catch (error) {
        const words = describeFailure(error as NodeJS.ErrnoException, deadlineMs);
        return ended({ ok: false, status: null, error: words, response: null, retryAfterMs: 0 });
      } finally {
        clearTimeout(timer);
      }
    },
    close: () => dispatcher.destroy(),
  };
}

class DeadlinePassed extends Error {
  override name = 'DeadlinePassed';
}

function headersOf({ headers, keys, id, body }: Outgoing, now: number): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000));
  const signature = keys.map((key) => `v1,${sign(key, id, timestamp, body).toString('base64')}`).join(' ');
  return {
    ...headers,
    'content-type': 'application/json',
    'user-agent': `Doorlist/${VERSION}`,
    'wh-id': id,
    'wh-timestamp': timestamp,
    'wh-signature': signature,
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signature,
  };
}

/**
 * Never decompressed. A body that goes on is cut off, together with its connection; one that breaks off or drips
 * past the deadline is kept as far as it came, for the status has said what matters.
 */
async function readSome(body: Dispatcher.ResponseData['body']): Promise<string | null> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= RESPONSE_BYTES_MAX) break; // Leaving the loop destroys the body.
    }
  } catch {}
  return length === 0 ? null : Buffer.concat(chunks).subarray(0, RESPONSE_BYTES_MAX).toString();
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
  UND_ERR_HEADERS_OVERFLOW: 'the headers of the answer are too large',
};

function describeFailure(error: NodeJS.ErrnoException, deadlineMs: number): string {
  if (error instanceof RefusedTarget) return `refused: the URL ${error.message}`;
  const code = error.code ?? '';
  if (error instanceof DeadlinePassed || /^UND_ERR_(HEADERS|BODY)_TIMEOUT$/.test(code))
    return `no complete answer within ${deadlineMs / 1000} s`;
  const known = FAILURES[code];
  if (known) return known;
  if (/CERT|SSL|TLS|SELF_SIGNED|UNABLE_TO/.test(code)) return `the TLS certificate is not accepted (${code})`;
  if (code.startsWith('HPE_') || error.name === 'HTTPParserError') return 'the answer is not valid HTTP';
  return `failed (${code || error.name})`;
}
