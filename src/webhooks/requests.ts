import type { IncomingHttpHeaders } from 'node:http';
import type { Agent, Dispatcher } from 'undici';
import type { Guard } from './guard.ts';

/** Of a response. The rest is not read. */
const RESPONSE_BYTES_MAX = 16 * 1024;

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  /** The part of the body that was read, or null if there was none. */
  text: string | null;
}

export class DeadlinePassed extends Error {
  override name = 'DeadlinePassed';
}

/** The permit for this attempt has run out. */
export class MustNotBegin extends Error {
  override name = 'MustNotBegin';
}

class EnoughRead extends Error {
  override name = 'EnoughRead';
}

/**
 * Below `undici.request`, because a stream and an abort signal for each response cost as much as the request.
 * Does not follow redirects or decompress. An overlong body is cut off with its connection; one that breaks
 * off or exceeds the deadline is kept so far, because the status is what matters.
 */
export function post(
  dispatcher: Dispatcher,
  { url, headers, body }: { url: URL; headers: Record<string, string>; body: string },
  deadlineMs: number,
  mayBegin: () => boolean = () => true,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    let answer: { status: number; headers: IncomingHttpHeaders } | undefined;
    let controller: Dispatcher.DispatchController | undefined;
    let late: DeadlinePassed | undefined;

    const settle = (error?: Error) => {
      clearTimeout(timer);
      if (!answer) return reject(error);
      const text = length === 0 ? null : Buffer.concat(chunks).subarray(0, RESPONSE_BYTES_MAX).toString();
      resolve({ ...answer, text });
    };
    const timer = setTimeout(() => {
      late = new DeadlinePassed();
      controller?.abort(late);
      settle(late);
    }, deadlineMs);

    dispatcher.dispatch(
      { origin: url.origin, path: url.pathname + url.search, method: 'POST', headers, body },
      {
        onRequestStart: (started) => {
          controller = started;
          if (late)
            started.abort(late); // It waited too long for a connection.
          // Unlike an abort, throwing here keeps the connection open for the next request.
          else if (!mayBegin()) throw new MustNotBegin();
        },
        onResponseStart: (_, status, received) => {
          if (status >= 200) answer = { status, headers: received };
        },
        onResponseData: (started, chunk) => {
          chunks.push(chunk);
          length += chunk.length;
          if (length >= RESPONSE_BYTES_MAX) started.abort(new EnoughRead());
        },
        onResponseEnd: () => settle(),
        onResponseError: (_, error) => settle(error),
      },
    );
  });
}

const DEADLINE_MS = 5_000;
const READ_BYTES_MAX = 64 * 1024;

/** Reads what is small. Throws unless the answer is a 200. */
export type Get = (url: URL) => Promise<Buffer>;

/** Reaches only what webhooks may reach. Follows no redirects. */
export function guardedGet({ guard, proxyUrl }: { guard: Guard; proxyUrl?: string | undefined }): {
  get: Get;
  close(): Promise<void>;
} {
  const lazy = lazyDispatcher({ connect: guard.connect, proxyUrl });
  return {
    get: async (url) => {
      const [{ request }, dispatcher] = await Promise.all([import('undici'), lazy.open()]);
      const signal = AbortSignal.timeout(DEADLINE_MS);
      const { statusCode, body } = await request(guard.checkUrl(url.href), { dispatcher, signal });
      const chunks: Buffer[] = [];
      let length = 0;
      for await (const chunk of body as AsyncIterable<Buffer>) {
        length += chunk.length;
        if (length > READ_BYTES_MAX) throw new Error('the answer is too long');
        chunks.push(chunk);
      }
      if (statusCode !== 200) throw new Error(`it answered ${statusCode}`);
      return Buffer.concat(chunks);
    },
    close: lazy.destroy,
  };
}

interface LazyDispatcher {
  open(): Promise<Dispatcher>;
  destroy(): Promise<void>;
}

/** Loads undici with the first request: it takes 12 MB, and an installation may never send one. */
export function lazyDispatcher({
  proxyUrl,
  connect,
  ...common
}: Pick<
  Agent.Options,
  'connect' | 'connections' | 'headersTimeout' | 'bodyTimeout' | 'pipelining' | 'allowH2'
> & {
  proxyUrl?: string | undefined;
}): LazyDispatcher {
  const create = async () => {
    const { Agent, ProxyAgent } = await import('undici');
    if (proxyUrl !== undefined) return new ProxyAgent({ ...common, uri: proxyUrl, proxyTunnel: false }); // Only https is tunnelled.
    return new Agent({ ...common, ...(connect && { connect }) });
  };
  let created: Promise<Dispatcher> | undefined;
  return {
    open: () => {
      created ??= create();
      return created;
    },
    destroy: async () => {
      await (await created)?.destroy();
    },
  };
}
