import { parseEmail } from '../../lib/email.ts';
import { bytesKey, bytesOfKey } from '../../lib/ids.ts';
import { DAY_MS, HOUR_MS } from '../../lib/time.ts';
import { releaseHeld } from '../../outbox/hold.ts';
import { hashOf, noteSoftBounces, suppressAll } from '../links/suppression.ts';
import { changeQueue } from '../queue/change-queue.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/queue.ts';
import type { QueueChange } from '../queue/queue-change.ts';
import { review } from '../sending/review.ts';
import { mailTarget } from '../sending/state.ts';

/** What became of an email after the mail server had accepted it. */
export interface MailEvent {
  type: 'bounce' | 'complaint';
  email: string;
  /** Of a bounce: whether it will happen again. True unless given. */
  permanent?: boolean | undefined;
}

interface ReportOptions {
  /** That of a signed report, which counts once: its signature may be on something else the second time. */
  name?: string | undefined;
  /** It is what a mail server answered to an email of ours, whose attempt is not recorded yet. */
  answersUs?: boolean;
}

/**
 * Stops mails to addresses that bounced or complained. An address that is neither on the list nor invited leaves
 * no trace. Returns how many events were about an address, known or not. Doing it again changes nothing.
 */
export async function recordMailEvents(
  context: Context,
  queue: Queue,
  events: readonly MailEvent[],
  { name, answersUs = false }: ReportOptions = {},
): Promise<number> {
  const understood = events.filter(({ email }) => parseEmail(email) !== undefined);
  if (understood.length === 0 && name === undefined) return 0;
  const { ended, counted } = await changeQueue(context, queue, async (change) => {
    const isNew = name === undefined || (await noteReport(change, name));
    if (!isNew || understood.length === 0) return { ended: false, counted: 0 };
    await suppressReported(context, change, understood, answersUs);
    return { ended: await review(context, change), counted: understood.length };
  });
  if (ended) await releaseHeld(context, mailTarget(queue.id));
  return counted;
}

/** Longer than the signature of any report is accepted. */
const SEEN_MS = DAY_MS + HOUR_MS;

async function noteReport({ trx, queue, now }: QueueChange, name: string): Promise<boolean> {
  const report_hash = queue.vault.hash('mail-event', `report ${name}`);
  const seen = trx.selectFrom('mail_event_seen').select('expires_at').where('queue_id', '=', queue.id);
  if (await seen.where('report_hash', '=', report_hash).executeTakeFirst()) return false;
  trx.insert('mail_event_seen', [{ queue_id: queue.id, report_hash, expires_at: now + SEEN_MS }]);
  await trx
    .deleteFrom('mail_event_seen')
    .where('queue_id', '=', queue.id)
    .where('expires_at', '<=', now)
    .execute();
  return true;
}

async function suppressReported(
  context: Context,
  change: QueueChange,
  events: readonly MailEvent[],
  answersUs: boolean,
): Promise<void> {
  const { trx, queue, now } = change;
  const reported = { complained: new Set<string>(), bounced: new Set<string>(), soft: new Set<string>() };
  for (const event of events) reported[outcomeOf(event)].add(bytesKey(hashOf(queue, event.email)));
  const known = await knownAmong(context, change, [
    ...new Set(Object.values(reported).flatMap((names) => [...names])),
  ]);
  const emailed = answersUs ? undefined : await emailedAmong(context, change, known);
  const hashesOf = (names: Iterable<string>) => [...names].filter((name) => known.has(name)).map(bytesOfKey);
  const addressesOf = (names: Iterable<string>) =>
    hashesOf(names).map((emailHash) => ({ emailHash, isEmailed: emailed?.has(bytesKey(emailHash)) ?? true }));
  const tooOften = await noteSoftBounces(context, change, hashesOf(reported.soft));
  const bounced = new Set([...reported.bounced, ...tooOften.map(bytesKey)]);
  const complaining = await suppressAll(trx, queue, addressesOf(reported.complained), 'complained', now);
  const bouncing = await suppressAll(trx, queue, addressesOf(bounced), 'bounced', now);
  await recordFor(context, change, 'mail.complained', complaining);
  await recordFor(context, change, 'mail.bounced', bouncing);
}

/** Only what a report changed: the same report again is no event. */
async function recordFor(
  { db }: Context,
  { trx, queue, record }: QueueChange,
  kind: 'mail.bounced' | 'mail.complained',
  emailHashes: readonly Uint8Array[],
): Promise<void> {
  if (emailHashes.length === 0) return;
  const entries = await trx
    .selectFrom('entry')
    .select('seq')
    .where('queue_id', '=', queue.id)
    .where('status', '<>', 'removed')
    .where((e) => db.in(e.ref('email_hash'), emailHashes))
    .orderBy('seq')
    .execute();
  for (const { seq } of entries) record({ kind, entry: seq });
}

function outcomeOf({ type, permanent = true }: MailEvent): 'complained' | 'bounced' | 'soft' {
  if (type === 'complaint') return 'complained';
  return permanent ? 'bounced' : 'soft';
}

/** Addresses by the `bytesKey` of their hash, each with what emails to it are about: itself, and its entry. */
type Known = ReadonlyMap<string, readonly Uint8Array[]>;

/** Those on the list, and those who were invited. */
async function knownAmong(
  { db }: Context,
  { trx, queue }: QueueChange,
  names: readonly string[],
): Promise<Known> {
  const hashes = names.map(bytesOfKey);
  const selectFrom = (table: 'entry' | 'invite') =>
    trx
      .selectFrom(table)
      .select('email_hash')
      .where('queue_id', '=', queue.id)
      .where((e) => db.in(e.ref('email_hash'), hashes));
  const invited = await selectFrom('invite').distinct().execute();
  const listed = await selectFrom('entry').select('id').execute();
  const known = new Map<string, Uint8Array[]>();
  for (const { email_hash } of invited) if (email_hash) known.set(bytesKey(email_hash), [email_hash]);
  for (const { email_hash, id } of listed) if (email_hash) known.set(bytesKey(email_hash), [email_hash, id]);
  return known;
}

/** Those whom a mail server was given an email for, or is being given one. */
async function emailedAmong(
  { db }: Context,
  { trx, queue }: QueueChange,
  known: Known,
): Promise<ReadonlySet<string>> {
  const names = new Map(
    [...known].flatMap(([name, subjects]) => subjects.map((one) => [bytesKey(one), name])),
  );
  if (names.size === 0) return new Set();
  const { queueId, channel, id } = mailTarget(queue.id);
  const rows = await trx
    .selectFrom('event_subject as s')
    .innerJoin('delivery as d', (join) =>
      join.onRef('d.queue_id', '=', 's.queue_id').onRef('d.event_id', '=', 's.event_id'),
    )
    .leftJoin('delivery_attempt as a', (join) =>
      join
        .onRef('a.queue_id', '=', 'd.queue_id')
        .onRef('a.channel', '=', 'd.channel')
        .onRef('a.target_id', '=', 'd.target_id')
        .onRef('a.event_id', '=', 'd.event_id'),
    )
    .select('s.subject')
    .distinct()
    .where('s.queue_id', '=', queueId)
    .where('d.queue_id', '=', queueId)
    .where('d.channel', '=', channel)
    .where('d.target_id', '=', id)
    .where((e) => db.in(e.ref('s.subject'), [...names.keys()].map(bytesOfKey)))
    .where((e) =>
      e.or([
        e('a.status', 'is not', null),
        e.and([e('d.token', 'is not', null), e('d.due_at', 'is not', null)]),
      ]),
    )
    .execute();
  return new Set(rows.map(({ subject }) => names.get(bytesKey(subject)) ?? ''));
}
