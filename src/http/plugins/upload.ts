import { createHash, type Hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { invalid } from '../../lib/errors.ts';

export interface UploadLimits {
  bytesMax: number;
  /** How long an upload may keep the server waiting. What arrives earns this time back. */
  idleMs: number;
  /** A slower upload uses up its time. */
  bytesPerSecond: number;
}

/** At this rate, which a bad connection reaches, the largest file takes 7 hours. */
export const UPLOAD_LIMITS: UploadLimits = {
  bytesMax: 200 * 1024 * 1024,
  idleMs: 30_000,
  bytesPerSecond: 8 * 1024,
};

export class UploadTooLarge extends Error {
  override name = 'UploadTooLarge';

  constructor({ bytesMax }: Pick<UploadLimits, 'bytesMax'>) {
    super(`the file is larger than ${bytesMax / 1024 ** 2} MB`);
  }
}

export class UploadTooSlow extends Error {
  override name = 'UploadTooSlow';
}

const uploading = new WeakSet<Socket>();

/** Whether the time limit for a whole request does not apply, because an upload has its own. */
export function isUploading(socket: Socket): boolean {
  return uploading.has(socket);
}

const digests = new WeakMap<IncomingMessage, Hash>();

/** Call it before the upload is read. Returns a function that identifies what has been read of it. */
export function digestUpload(request: IncomingMessage): () => string {
  const hash = createHash('sha256');
  digests.set(request, hash);
  return () => hash.copy().digest('base64url');
}

/**
 * Reads a body for as long as it keeps arriving. Only the time spent waiting for the client counts, not the
 * time that the caller takes to store what has arrived. Leaves the connection open for a response.
 */
export async function* readUpload(
  request: IncomingMessage,
  { bytesMax, idleMs, bytesPerSecond }: UploadLimits,
): AsyncGenerator<Buffer> {
  const { socket } = request;
  let size = 0;
  let leftMs = idleMs;
  uploading.add(socket);
  try {
    for (;;) {
      const chunk: Buffer | null = request.read();
      if (chunk) {
        size += chunk.length;
        if (size > bytesMax) throw new UploadTooLarge({ bytesMax });
        digests.get(request)?.update(chunk);
        leftMs = Math.min(idleMs, leftMs + (chunk.length / bytesPerSecond) * 1_000);
        yield chunk;
      } else if (request.readableEnded) return;
      else if (request.destroyed) throw invalid('body: was not received completely');
      else {
        const since = performance.now();
        await somethingArrives(request, leftMs);
        leftMs -= performance.now() - since;
      }
    }
  } finally {
    uploading.delete(socket);
  }
}

const ARRIVALS = ['readable', 'end', 'error', 'close'] as const;

function somethingArrives(request: IncomingMessage, withinMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (outcome: () => void) => {
      clearTimeout(timer);
      for (const event of ARRIVALS) request.off(event, arrived);
      outcome();
    };
    const arrived = () => settle(resolve);
    const timer = setTimeout(() => settle(() => reject(new UploadTooSlow())), Math.max(0, withinMs));
    for (const event of ARRIVALS) request.on(event, arrived);
  });
}
