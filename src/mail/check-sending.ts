import type { Context } from '../waitlist/queue/context.ts';
import { ageInWords, type Finding } from '../waitlist/upkeep/health.ts';
import { EVERYONE, MAIL_SERVER, SENDER_OF } from './smtp/constants.ts';
import { type RecordedPause, readPauses } from './smtp/pause-record.ts';

/** One for each pause: why emails are not sent, in the words of the mail server. */
export async function checkSending(context: Context): Promise<Finding[]> {
  const { db, clock } = context;
  const pauses = await readPauses(context);
  if (pauses.length === 0) return [];
  const deleted = await db.query
    .selectFrom('waitlist')
    .select('public_id')
    .where('deleted_at', 'is not', null)
    .execute();
  const gone = new Set(deleted.map(({ public_id }) => SENDER_OF + public_id));
  return pauses
    .filter(({ name }) => !gone.has(name))
    .map((pause) => ({
      what: 'sending emails',
      ok: false,
      detail: inWords(pause, clock()),
      link: linkOf(pause),
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
  const tried = new Date(triedAt).toISOString();
  return `paused${scope} for ${ageInWords(Math.max(0, now - since))}: ${error}${said}. Emails wait, and one is tried now and then, last at ${tried}`;
}
