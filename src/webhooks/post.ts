import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';

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
