import type { Context } from '../../waitlist/queue/context.ts';
import type { PauseCause, PauseRecord } from './pauses.ts';

/** Kept beside the pauses while servers run without one, for the command line. */
export const NO_MAIL_SERVER = 'no mail server';

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
    ended: (name) => write(() => db.query.deleteFrom('mail_pause').where('name', '=', name).execute()),
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
