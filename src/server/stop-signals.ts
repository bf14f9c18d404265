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
