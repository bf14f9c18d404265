import type { Log } from './waitlist/context.ts';

/** Whatever flaps must not fill the log. */
const REPEAT_AFTER_MS = 60_000;

interface Reported {
  state: string;
  /** When each state was last written. */
  readonly at: Map<string, number>;
}

const reported = new WeakMap<Log, Map<string, Reported>>();

/**
 * One line when something changes its state: `ok`, or a word for what is wrong. Each state of each thing is written
 * at most once a minute, and a first `ok` not at all.
 */
export function reportState(log: Log, name: string, state: string, fields: object = {}): void {
  const things = reported.get(log) ?? new Map<string, Reported>();
  reported.set(log, things);
  const known = things.get(name) ?? { state: 'ok', at: new Map() };
  things.set(name, known);
  const now = performance.now();
  if (known.state === state || now - (known.at.get(state) ?? Number.NEGATIVE_INFINITY) < REPEAT_AFTER_MS)
    return;
  known.state = state;
  known.at.set(state, now);
  if (state === 'ok') log.info({ ...fields, state }, `${name}: ok again`);
  else log.warn({ ...fields, state }, `${name}: ${state}`);
}
