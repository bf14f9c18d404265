import type { Log } from './log.ts';

/** A state that changes many times a minute is logged once a minute. */
const LINE_EVERY_MS = 60_000;

/** `ok` is normal; anything else is a problem. */
interface ReportedState {
  name: string;
  state: string;
  since: number;
  fields: object;
}

interface Reported extends ReportedState {
  loggedState: string;
  loggedAt: number;
  timer: NodeJS.Timeout | undefined;
}

const muted = new WeakSet<Log>();

/** States are still kept, but no longer logged. */
export function muteStates(log: Log): void {
  muted.add(log);
}

type Report = (name: string, state: string, fields: object) => void;

const passedOn = new WeakMap<Log, Report>();

/** States are told to another thread, which finds the same problems and logs each once. */
export function passStatesOn(log: Log, report: Report): void {
  passedOn.set(log, report);
}

const states = new WeakMap<Log, Map<string, Reported>>();

/**
 * Logs a state when it changes, at most once a minute per name. If it changes more often, the latest state is
 * logged when the minute is over. The initial state is `ok`.
 */
export function reportState(log: Log, name: string, state: string, fields: object = {}): void {
  const passOn = passedOn.get(log);
  if (passOn) {
    if (!muted.has(log)) passOn(name, state, fields);
    return;
  }
  const ofLog = states.get(log) ?? new Map<string, Reported>();
  states.set(log, ofLog);
  const known = ofLog.get(name);
  if (!known && state === 'ok') return;
  if (known?.state === state) {
    known.fields = fields;
    return;
  }
  const now = Date.now();
  const reported: Reported = known ?? {
    ...{ name, state, since: now, fields },
    ...{ loggedState: 'ok', loggedAt: Number.NEGATIVE_INFINITY, timer: undefined },
  };
  Object.assign(reported, { state, since: now, fields });
  ofLog.set(name, reported);
  const waitMs = reported.loggedAt + LINE_EVERY_MS - now;
  if (waitMs <= 0) write(log, reported);
  else reported.timer ??= setTimeout(() => write(log, reported), waitMs).unref();
}

/** The latest state of everything that ever had a problem. */
export function reportedStates(log: Log): ReportedState[] {
  return [...(states.get(log)?.values() ?? [])].map(({ name, state, since, fields }) => ({
    ...{ name, state, since, fields },
  }));
}

function write(log: Log, reported: Reported): void {
  clearTimeout(reported.timer);
  reported.timer = undefined;
  const { name, state, fields, loggedState } = reported;
  if (state === loggedState || muted.has(log)) return;
  reported.loggedState = state;
  reported.loggedAt = Date.now();
  if (state === 'ok') log.info({ state, ...fields }, `${name}: ok again`);
  else log.warn({ state, ...fields }, `${name}: ${state}`);
}
