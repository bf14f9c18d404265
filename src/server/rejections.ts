import type { Log } from '../lib/log.ts';
import type { Meter } from '../lib/meter.ts';

/** Whoever has events of a process or of a thread. */
type Source = Pick<NodeJS.Process, 'on' | 'off'>;

/**
 * A promise whose rejection nobody handles is a mistake in the code, which belongs to one request or one task: it is logged
 * and counted, and the others go on. Returns a function that stops it.
 */
export function watchRejections(log: Log, meter: Meter, source: Source = process): () => void {
  const note = (cause: unknown) => {
    const { name, message, stack } = cause instanceof Error ? cause : new Error(String(cause));
    log.error({ error: name, reason: message, stack }, 'nobody handled the rejection of a promise');
    meter.unhandledRejection();
  };
  source.on('unhandledRejection', note);
  return () => void source.off('unhandledRejection', note);
}
