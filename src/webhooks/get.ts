import { lazyDispatcher } from './dispatcher.ts';
import type { Guard } from './guard.ts';

const DEADLINE_MS = 5_000;
const RESPONSE_BYTES_MAX = 64 * 1024;

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
        if (length > RESPONSE_BYTES_MAX) throw new Error('the answer is too long');
        chunks.push(chunk);
      }
      if (statusCode !== 200) throw new Error(`it answered ${statusCode}`);
      return Buffer.concat(chunks);
    },
    close: lazy.destroy,
  };
}
