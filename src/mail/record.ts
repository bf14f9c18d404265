import { sharedNow } from '../db/shared-clock.ts';
import { formatId, newId, oldestId } from '../ids.ts';
import type { EntryView } from '../waitlist/entries/entry-view.ts';
import { parseEmail } from '../waitlist/people/identity.ts';
import type { Metadata } from '../waitlist/people/metadata.ts';
import type { Context } from '../waitlist/queue/context.ts';
import type { Queue } from '../waitlist/queue/directory.ts';
import type { QueueChange } from '../waitlist/queue/queue-change.ts';
import type { Shown } from '../webhooks/record.ts';
import type { MailKind } from './kinds.ts';
import type { Occasion } from './occasion.ts';

export const MAIL_CHANNEL = 'email';
/** All mails of a queue wait in one line. */
export const MAIL_TARGET: Uint8Array = Buffer.from('mail');

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * What a mail is made of. It is made when it is sent, from this and from the settings and templates of this version,
 * none of which ever change: so every attempt sends the same bytes, and signups do not wait for it.
 */
export interface MailFacts {
  mail: MailKind;
  at: number;
  version: number;
  /** Its name. */
  waitlist: string;
  to: string;
  entry: MailedEntry | null;
  invite: { id: string; code: string | null; expiresAt: number | null } | null;
  /** Sent by an operator to oneself. */
  test?: true;
}

export type MailedEntry = Pick<EntryView, 'id' | 'position' | 'referrals' | 'referralCode'> & {
  metadata: Metadata | null;
};

/** Of somebody who has just joined: who that is, and not what is known of them. It is looked up when the mail is sent. */
export interface JoinedFacts extends Omit<MailFacts, 'to' | 'entry' | 'invite'> {
  seq: number;
  id: string;
  position: number | null;
}

interface WrittenMail {
  id: Uint8Array;
  kind: string;
  body: Buffer;
  subjects: Uint8Array[];
}

/** undefined when there is nobody to write to. */
export function writeMail(
  { queue, now, settings }: QueueChange,
  occasion: Occasion,
  shown: Shown | undefined,
  freshId: Buffer,
): WrittenMail | undefined {
  const { kind } = occasion;
  if ('joined' in occasion) {
    const { id: entryId, position } = occasion.joined;
    const facts: JoinedFacts = {
      mail: kind,
      at: now,
      version: settings.mailVersion,
      waitlist: queue.waitlist.name,
      seq: occasion.seq,
      id: formatId('ent', entryId),
      position,
    };
    const body = queue.vault.seal('event.body', freshId, JSON.stringify(facts));
    return { id: freshId, kind: `email.${kind}`, body, subjects: [entryId] };
  }
  const invite = 'invite' in occasion ? occasion.invite : null;
  const to = invite?.email ?? shown?.view.email ?? null;
  if (to === null || !isDue(kind, shown)) return undefined;
  const daily = 'daily' in occasion && occasion.daily === true;
  const id = daily && shown ? dailyId(queue.vault.hash, kind, shown.view.id, now) : freshId;
  const facts: MailFacts = {
    mail: kind,
    at: now,
    version: settings.mailVersion,
    waitlist: queue.waitlist.name,
    to,
    entry: shown ? mailed(shown.view) : null,
    invite: invite && {
      id: formatId('inv', invite.id),
      code: invite.code ?? null,
      expiresAt: invite.expiresAt,
    },
  };
  return {
    id,
    kind: `email.${kind}`,
    body: queue.vault.seal('event.body', id, JSON.stringify(facts)),
    subjects: [...(shown ? [shown.id] : []), ...(invite ? [invite.id] : []), recipientHash(queue, to)],
  };
}

/** A referrer who no longer waits does not move up; whoever has no email to confirm is welcome at once. */
function isDue(kind: MailKind, shown: Shown | undefined): boolean {
  if (kind === 'moved-up') return shown?.view.status === 'waiting';
  if (kind === 'confirm') return shown?.view.status === 'pending';
  return true;
}

export function mailed({ id, position, referrals, referralCode, metadata }: EntryView): MailedEntry {
  return { id, position, referrals, referralCode, metadata };
}

/** The same all day (in UTC) for the same person, so that the second of a day finds the first in its place. */
function dailyId(
  hash: (purpose: 'link', value: string) => Buffer,
  kind: MailKind,
  entryId: string,
  now: number,
): Buffer {
  const day = now - (now % DAY_MS);
  const id = oldestId(day);
  hash('link', `${kind} ${entryId} ${day}`).copy(id, 6, 0, 10);
  return id;
}

/** Ties a mail to whoever gets it, on the list or not. One to somebody who has just joined is tied to the entry. */
function recipientHash({ vault }: Queue, to: string): Buffer {
  return vault.hash('email', parseEmail(to)?.key ?? to);
}

/** A mail that nobody's change brings about; `shown` is the id of an entry that it tells of. */
export async function insertMail(
  context: Context,
  queue: Queue,
  facts: MailFacts,
  shown: Uint8Array | undefined,
): Promise<Uint8Array> {
  const id = newId(facts.at);
  const subjects = [...(shown ? [shown] : []), recipientHash(queue, facts.to)];
  await context.db.transaction(async (trx) => {
    const body = queue.vault.seal('event.body', id, JSON.stringify(facts));
    await trx
      .insertInto('event')
      .values({ queue_id: queue.id, id, kind: `email.${facts.mail}`, body, created_at: facts.at })
      .execute();
    await trx
      .insertInto('event_subject')
      .values(subjects.map((subject) => ({ queue_id: queue.id, subject, event_id: id })))
      .execute();
    await trx
      .insertInto('delivery')
      .values({
        queue_id: queue.id,
        channel: MAIL_CHANNEL,
        target_id: MAIL_TARGET,
        event_id: id,
        due_at: await sharedNow(context, trx),
      })
      .execute();
  });
  context.bell.ring([{ queueId: queue.id, channel: MAIL_CHANNEL, targetId: MAIL_TARGET }]);
  return id;
}
