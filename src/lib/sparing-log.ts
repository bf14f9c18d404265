import type { Log } from './log.ts';

const LINE_EVERY_MS = 60_000;

type Level = 'warn' | 'error';

interface Repeated {
  level: Level;
  message: string;
  /** Of the latest one. */
  fields: object;
  /** Since the last line. */
  times: number;
}

type Pass = (kind: string, level: Level, fields: object, message: string) => void;

const repeated = new WeakMap<Log, Map<string, Repeated>>();
const passedOn = new WeakMap<Log, Pass>();

/** Lines are told to another thread, which meets the same problem and counts together. */
export function passRepeatedOn(log: Log, pass: Pass): void {
  passedOn.set(log, pass);
}

/**
 * For what an outage causes for each request, email or queue. Of each kind, the first is logged at once, and the others
 * within its minute in one line at the end of it: with the fields of the latest, and how many there were.
 */
export function logSparingly(log: Log, level: Level, fields: object, message: string, kind = message): void {
  const pass = passedOn.get(log);
  if (pass) {
    pass(kind, level, fields, message);
    return;
  }
  const ofLog = repeated.get(log) ?? new Map<string, Repeated>();
  repeated.set(log, ofLog);
  const known = ofLog.get(kind);
  if (known) {
    Object.assign(known, { level, message, fields, times: known.times + 1 });
    return;
  }
  log[level](fields, message);
  ofLog.set(kind, { level, message, fields, times: 0 });
  endMinute(log, ofLog, kind);
}

/** Of a process that ends: what happened within a minute that is not over is told now. */
export function flushRepeated(log: Log): void {
  for (const known of repeated.get(log)?.values() ?? []) tell(log, known);
}

function tell(log: Log, known: Repeated): void {
  const { level, message, fields, times } = known;
  if (times === 0) return;
  known.times = 0;
  log[level]({ ...fields, times }, message);
}

function endMinute(log: Log, ofLog: Map<string, Repeated>, kind: string): void {
  setTimeout(() => {
    const known = ofLog.get(kind);
    if (known === undefined || known.times === 0) {
      ofLog.delete(kind);
      return;
    }
    tell(log, known);
    endMinute(log, ofLog, kind);
  }, LINE_EVERY_MS).unref();
}
