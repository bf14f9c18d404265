import type { Context } from '../../waitlist/queue/context.ts';
import type { PauseCause, PauseRecord } from './pauses.ts';

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
