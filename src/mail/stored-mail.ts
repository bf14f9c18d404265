import type { Database, Trx } from '../db/database.ts';
import { sharedNow } from '../db/shared-clock.ts';
import { statement } from '../db/statement.ts';
import type { Language } from '../languages/languages.ts';
import { formatId, newId } from '../lib/ids.ts';
import { type Message, writeMessages } from '../outbox/message.ts';
import { ifReadable } from '../vault/crypto.ts';
import type { Entry } from '../waitlist/entries/entry.ts';
import { hashOf } from '../waitlist/links/suppression.ts';
import { languageFor, type Metadata, type Person } from '../waitlist/people/person.ts';
import type { Context } from '../waitlist/queue/context.ts';
import type { Queue } from '../waitlist/queue/queue.ts';
import type { QueueChange } from '../waitlist/queue/queue-change.ts';
import { referralCodesOf } from '../waitlist/referrals/referral-code.ts';
import { mailTarget } from '../waitlist/sending/state.ts';
import { isAwaited, type MailKind } from './templates/kinds.ts';
import type { MailTemplate } from './templates/settings.ts';

/**
 * What a mail is rendered from, together with the settings and templates of its version. None of it ever
 * changes: every attempt sends the same bytes, and signups do not wait for rendering.
 */
export interface StoredMail {
  mail: MailKind;
  at: number;
  version: number;
  /** The waitlist's name. */
  waitlist: string;
  to: string;
  entry: MailedEntry | null;
  invite: { id: string; code: string | null; expiresAt: number | null } | null;
  /** Sent by operators to themselves. */
  test?: true;
  /** Whose email a test shows, in place of where it is sent. */
  person?: string;
  /** A template that is not saved, for a test. */
  template?: MailTemplate;
  /** Places that one referral is worth. */
  boost: number;
  /** Without metadata: the recipient may not be the one who typed it. */
  bare?: true;
  /** Whether our own form was on: without a page of the waitlist's own, people share that one. */
  hosted?: true;
}

interface MailedEntry {
  id: string;
  position: number | null;
  referrals: number;
  referralCode: string | null;
  metadata: Metadata | null;
  /** null for the waitlist's language. */
  language: Language | null;
}

/**
 * For new entries: the person is looked up when the mail is opened, so that signups do not seal their data
 * twice.
 */
interface NewcomerMail extends Omit<StoredMail, 'to' | 'entry' | 'invite'> {
  seq: number;
  id: string;
  position: number | null;
}

/** `subjects`: ids and hashes of everyone whose data is in the mail. */
export function mailMessage(
  queue: Queue,
  id: Uint8Array,
  mail: StoredMail | NewcomerMail,
  subjects: readonly Uint8Array[],
): Message {
  return {
    id,
    kind: `email.${mail.mail}`,
    body: queue.vault.seal('event.body', id, JSON.stringify(mail)),
    subjects,
    targets: [mailTarget(queue.id)],
    urgent: mail.test === true || isAwaited(mail.mail),
  };
}

const findPerson = statement<{ queueId: number; seq: number }, { id: Uint8Array; person: Uint8Array | null }>(
  (db, parameter) =>
    db.query
      .selectFrom('entry')
      .select(['id', 'person'])
      .where('queue_id', '=', parameter('queueId'))
      .where('seq', '=', parameter('seq')),
);

/** Returns undefined if the person was removed. */
export async function readMail(
  { db }: { readonly db: Pick<Database | Trx, 'run'> },
  queue: Queue,
  body: string,
): Promise<StoredMail | undefined> {
  const mail = JSON.parse(body) as StoredMail | NewcomerMail;
  if (!('seq' in mail)) return mail;
  const { seq, id, position, ...rest } = mail;
  const [row] = await db.run(findPerson, { queueId: queue.id, seq });
  const person = row?.person && queue.vault.open<Person>('entry.person', row.id, row.person);
  if (!person || person.email === null) return undefined;
  const referralCode = referralCodesOf(queue).of(seq);
  const { metadata } = person;
  const entry = { id, position, referrals: 0, referralCode, metadata, language: languageFor(person) };
  return { ...rest, to: person.email, entry, invite: null };
}

const findNewcomerMails = statement<
  { queueId: number; seq: number },
  { id: Uint8Array; body: Uint8Array | null }
>((db, parameter) =>
  db.query
    .selectFrom('entry as p')
    .innerJoin('event_subject as s', (join) =>
      join.onRef('s.queue_id', '=', 'p.queue_id').onRef('s.subject', '=', 'p.id'),
    )
    .innerJoin('event as e', (join) =>
      join.onRef('e.queue_id', '=', 's.queue_id').onRef('e.id', '=', 's.event_id'),
    )
    .select(['e.id', 'e.body'])
    .where('p.queue_id', '=', parameter('queueId'))
    .where('p.seq', '=', parameter('seq'))
    .where('e.kind', 'in', ['email.confirm', 'email.welcome']),
);

/** Those of a newcomer say where they went, now that the person gets another address. */
export async function keepRecipient(
  { trx, queue }: Pick<QueueChange, 'trx' | 'queue'>,
  seq: number,
  formerEmail: string,
): Promise<void> {
  for (const { id, body } of await trx.run(findNewcomerMails, { queueId: queue.id, seq })) {
    const text = body && ifReadable(() => queue.vault.open<string>('event.body', id, body));
    if (!text || !('seq' in JSON.parse(text))) continue;
    const mail = await readMail({ db: trx }, queue, text);
    if (!mail) continue;
    const sent: StoredMail = { ...mail, to: formerEmail };
    trx.update('event', { key: ['queue_id', 'id'] }, [
      { queue_id: queue.id, id, body: queue.vault.seal('event.body', Buffer.from(id), JSON.stringify(sent)) },
    ]);
  }
}

export function mailedEntry(entry: Entry): MailedEntry {
  const { id, position, referrals, referralCode, metadata } = entry;
  const language = languageFor(entry);
  return { id: formatId('ent', id), position, referrals, referralCode, metadata, language };
}

/** Stores a mail that no event causes. `about` is the id of an entry whose data it contains. */
export async function insertMail(
  context: Context,
  queue: Queue,
  mail: StoredMail,
  about: Uint8Array | undefined,
  record?: (trx: Trx, id: Uint8Array) => Promise<void>,
): Promise<Uint8Array> {
  const { db, wakeUps } = context;
  const id = newId(mail.at);
  const message = mailMessage(queue, id, mail, [...(about ? [about] : []), hashOf(queue, mail.to)]);
  const targets = await db.transaction(async (trx) => {
    const written = await writeMessages(trx, queue.id, [message], await sharedNow(context, trx));
    await record?.(trx, id);
    return written;
  });
  wakeUps.send(targets);
  return id;
}
