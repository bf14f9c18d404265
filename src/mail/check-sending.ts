import type { Context } from '../waitlist/queue/context.ts';
import { EVERYONE, MAIL_SERVER, SENDER_OF } from '../waitlist/queue/mail-pause.ts';
import { ageInWords, type Finding } from '../waitlist/upkeep/health.ts';
import { type RecordedPause, readPauses } from './smtp/pauses.ts';

const LIMITED_SHOWN_MAX = 20;

/** One for each pause: why emails are not sent, in the words of the mail server. */
export async function checkSending(context: Context): Promise<Finding[]> {
  const { db, clock } = context;
  const limited = await checkLimits(context);
  const pauses = await readPauses(context);
  if (pauses.length === 0) return limited;
  const deleted = await db.query
    .selectFrom('waitlist')
    .select('public_id')
    .where('deleted_at', 'is not', null)
    .execute();
  const gone = new Set(deleted.map(({ public_id }) => SENDER_OF + public_id));
  const refused = pauses
    .filter(({ name }) => !gone.has(name))
    .map((pause) => ({
      what: 'sending emails',
      ok: false,
      detail: inWords(pause, clock()),
      link: linkOf(pause),
    }));
  return [...refused, ...limited];
}

/** One for each waitlist of whose emails too many bounced or were reported as spam. */
async function checkLimits({ db, clock }: Context): Promise<Finding[]> {
  const rows = await db.query
    .selectFrom('mail_sending as s')
    .innerJoin('queue as q', 'q.id', 's.queue_id')
    .innerJoin('waitlist as w', 'w.id', 'q.waitlist_id')
    .select(['w.public_id', 's.paused_at', 's.pause_reason'])
    .where('s.paused_at', 'is not', null)
    .where('s.resumed_at', 'is', null)
    .where('w.deleted_at', 'is', null)
    .orderBy('s.paused_at')
    .limit(LIMITED_SHOWN_MAX)
    .execute();
  return rows.map(({ public_id, paused_at, pause_reason }) => ({
    what: 'sending emails',
    ok: false,
    detail: `invites and other emails of ${public_id} that nobody waits for are paused for ${ageInWords(Math.max(0, clock() - (paused_at ?? 0)))}: ${pause_reason}. They go on when the rate is below the limit, or when an operator resumes them`,
    link: `/waitlists/${public_id}/emails?tab=delivery`,
  }));
}

/** A sender is set for its waitlist. The server is not set in the dashboard: what waits for it is in the mailbox. */
function linkOf({ name }: RecordedPause): string {
  const waitlist = name.startsWith(SENDER_OF) ? name.slice(SENDER_OF.length) : '';
  return waitlist.startsWith('wl_')
    ? `/waitlists/${waitlist}/emails?tab=settings`
    : '/instance/mailbox?state=pending';
}

function inWords({ name, error, answer, since, triedAt }: RecordedPause, now: number): string {
  const scope = name === MAIL_SERVER || name === EVERYONE ? '' : ` for ${name.slice(SENDER_OF.length)}`;
  const said = answer === null ? '' : `. It said: ${answer}`;
  const tried = ageInWords(Math.max(0, now - triedAt));
  return `paused${scope} for ${ageInWords(Math.max(0, now - since))}: ${error}${said}. Emails wait, and one is tried now and then, the last ${tried} ago`;
}
