import type { Log } from '../lib/log.ts';
import type { Meter } from '../lib/telemetry.ts';

/**
 * One press of Ctrl+C arrives twice under npm: from the terminal, and from npm, which passes it on. So does a SIGTERM
 * from a service manager that signals every process.
 */
const SAME_SIGNAL_MS = 1_000;

/** How often to look whether npx is still there. */
const LOOK_EVERY_MS = 500;

const STOPS = ['SIGTERM', 'SIGINT'] as const;

export interface StopSignals {
  readonly first: Promise<NodeJS.Signals>;
  /** Not the first one again. */
  readonly second: Promise<NodeJS.Signals>;
}

export function watchStopSignals(
  sameSignalMs = SAME_SIGNAL_MS,
  source: Pick<NodeJS.Process, 'on'> = process,
  now = () => performance.now(),
): StopSignals {
  const first = Promise.withResolvers<NodeJS.Signals>();
  const second = Promise.withResolvers<NodeJS.Signals>();
  let stop: { signal: NodeJS.Signals; at: number } | undefined;
  const onSignal = (signal: NodeJS.Signals) => {
    if (stop === undefined) {
      stop = { signal, at: now() };
      first.resolve(signal);
    } else if (signal !== stop.signal || now() - stop.at >= sameSignalMs) second.resolve(signal);
  };
  // For good: without a listener, a signal that is late would kill the process in its last moments.
  for (const signal of STOPS) source.on(signal, onSignal);
  if (process.env.npm_lifecycle_event === 'npx') whenLeftAlone(() => onSignal('SIGTERM'));
  return { first: first.promise, second: second.promise };
}

/** A signal to npx ends npx and its shell, and does not arrive here. Then there is another parent. */
function whenLeftAlone(stop: () => void): void {
  const parent = process.ppid;
  const looking = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(looking);
    stop();
  }, LOOK_EVERY_MS);
  looking.unref();
}

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
