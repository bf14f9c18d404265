import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';

/** Of an answer; the rest is not read. */
const RESPONSE_BYTES_MAX = 16 * 1024;

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  /** As much of the body as was read; null when there was none. */
  text: string | null;
}

export class DeadlinePassed extends Error {
  override name = 'DeadlinePassed';
}

/** There is no leave any more to begin. */
export class MustNotBegin extends Error {
  override name = 'MustNotBegin';
}

class EnoughRead extends Error {
  override name = 'EnoughRead';
}

/**
 * One POST. Below `undici.request`: a stream and an abort signal for each answer cost as much as the request itself.
 * Redirects are not followed and bodies not decompressed. A body that goes on is cut off together with its
 * connection; one that breaks off or drips past the deadline is kept as far as it came, for the status has said
 * what matters.
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
            started.abort(late); // It waited too long for its connection.
          // What is thrown here, unlike an abort, leaves the connection open for the next request.
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
