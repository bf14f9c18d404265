import type { Context } from '../../waitlist/queue/context.ts';

/** After consecutive failures: short for a server that restarts, longer for one that stays away. */
const PAUSES_MS: readonly number[] = [5_000, 15_000, 60_000, 5 * 60_000];

interface Paused {
  failures: number;
  until: number;
  cause: PauseCause;
  probing: boolean;
}

export interface PauseCause {
  /** What is wrong and what to do about it. */
  error: string;
  /** What the server said, without personal data. */
  answer: string | null;
}

/** Why nothing is sent, and when to try again. */
export interface Pause {
  error: string;
  /** 0 when one mail should test whether sending works again. */
  leftMs: number;
}

/** What keeps mails from being sent, by name: the server for all waitlists, a sender for its own. */
interface Pauses {
  begin(name: string, cause: PauseCause): Pause;
  /** Returns whether there was one. */
  end(name: string): boolean;
  /** An email was sent, so none of these is paused, whatever other processes recorded long ago. */
  worked(...names: string[]): void;
  find(...names: string[]): Pause | undefined;
  /** Lets one mail at a time test paused sending. Returns what ends the test, or undefined if one is under way. */
  probe(...names: string[]): (() => void) | undefined;
}

/** Where pauses are known to other processes, and after a restart. */
export interface PauseRecord {
  begun(name: string, cause: PauseCause): void;
  ended(name: string): void;
  worked(names: readonly string[]): void;
}

export function createPauses(
  pausesMs: readonly number[] = PAUSES_MS,
  record?: PauseRecord,
  known: ReadonlyMap<string, PauseCause> = new Map(),
): Pauses {
  const paused = new Map<string, Paused>();
  for (const [name, cause] of known) paused.set(name, { failures: 1, until: 0, cause, probing: false });
  const amongThem = (names: readonly string[]) =>
    names.map((name) => paused.get(name)).filter((one) => one !== undefined);
  return {
    begin: (name, cause) => {
      const found = paused.get(name);
      const now = performance.now();
      // Mails that were sent concurrently fail together, which counts as one failure.
      if (found && found.until > now)
        return { error: found.cause.error, leftMs: Math.ceil(found.until - now) };
      const failures = (found?.failures ?? 0) + 1;
      const leftMs = pausesMs[Math.min(failures, pausesMs.length) - 1] ?? 0;
      paused.set(name, { failures, until: now + leftMs, cause, probing: found?.probing ?? false });
      record?.begun(name, cause);
      return { error: cause.error, leftMs };
    },
    end: (name) => {
      const was = paused.delete(name);
      if (was) record?.ended(name);
      return was;
    },
    worked: (...names) => record?.worked(names),
    find: (...names) => {
      const [longest] = amongThem(names).sort((a, b) => b.until - a.until);
      const leftMs = longest && Math.ceil(Math.max(0, longest.until - performance.now()));
      return longest && { error: longest.cause.error, leftMs: leftMs ?? 0 };
    },
    probe: (...names) => {
      const found = amongThem(names);
      if (found.some(({ probing }) => probing)) return undefined;
      for (const one of found) one.probing = true;
      // A pause that was extended meanwhile is another object under the same name.
      return () => {
        for (const one of [...found, ...amongThem(names)]) one.probing = false;
      };
    },
  };
}

/** Kept beside the pauses while servers run without one, for the command line. */
export const NO_MAIL_SERVER = 'no mail server';

/** A process that is paused and has something to send tries it every 5 minutes. One that did not is gone, or has nothing. */
const OUTLIVED_MS = 15 * 60_000;
const LOOK_EVERY_MS = 60_000;

export interface RecordedPause extends PauseCause {
  name: string;
  since: number;
  /** When the last email was tried. */
  triedAt: number;
}

/** Keeps pauses in the database, for `status` and for the next start. Writes one after the other. */
export function recordPauses({
  db,
  log,
  clock,
}: Pick<Context, 'db' | 'log' | 'clock'>): PauseRecord & { written(): Promise<void> } {
  let writing = Promise.resolve();
  const lookedAt = new Map<string, number>();
  const forget = (name: string) => db.query.deleteFrom('mail_pause').where('name', '=', name).execute();
  const write = (work: () => Promise<unknown>) => {
    writing = writing.then(work).then(
      () => {},
      (error: Error) => log.warn({ reason: error.message }, 'the state of sending was not stored'),
    );
  };
  return {
    begun: (name, { error, answer }) =>
      write(() =>
        db.query
          .insertInto('mail_pause')
          .values({ name, error, answer, since: clock(), tried_at: clock() })
          .onConflict((known) => known.column('name').doUpdateSet({ error, answer, tried_at: clock() }))
          .execute(),
      ),
    ended: (name) => write(() => forget(name)),
    worked: (names) => {
      const now = clock();
      const due = names.filter((name) => Math.abs(now - (lookedAt.get(name) ?? 0)) >= LOOK_EVERY_MS);
      if (due.length === 0) return;
      for (const name of due) lookedAt.set(name, now);
      write(async () => {
        const pauses = await readPauses({ db });
        const outlived = pauses.filter(({ triedAt }) => triedAt < now - OUTLIVED_MS);
        for (const { name } of outlived) if (due.includes(name)) await forget(name);
      });
    },
    written: () => writing,
  };
}

export async function readPauses({ db }: Pick<Context, 'db'>): Promise<RecordedPause[]> {
  const rows = await db.query
    .selectFrom('mail_pause')
    .selectAll()
    .where('name', '!=', NO_MAIL_SERVER)
    .orderBy('since')
    .execute();
  return rows.map(({ tried_at, ...row }) => ({ ...row, triedAt: tried_at }));
}
