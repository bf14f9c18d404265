import { statement } from '../db/statement.ts';
import { DELIVERY_COLUMNS, EVENT_COLUMNS, EVENT_SUBJECT_COLUMNS } from '../db/tables.ts';
import { formatId, newId } from '../ids.ts';
import type { Occasion } from '../mail/occasion.ts';
import { MAIL_CHANNEL, MAIL_TARGET, writeMail } from '../mail/record.ts';
import type { Lane } from '../outbox/bell.ts';
import { isoTime, isoTimeOrNull } from '../time.ts';
import { type EntryView, viewEntries } from '../waitlist/entries/entry-view.ts';
import type { Context } from '../waitlist/queue/context.ts';
import type { Queue } from '../waitlist/queue/directory.ts';
import { type EntryRow, findBySeqs } from '../waitlist/queue/entry-rows.ts';
import { type DomainEvent, wants } from '../waitlist/queue/events.ts';
import type { QueueChange } from '../waitlist/queue/queue-change.ts';

const findListeners = statement<{ queueId: number }, { id: Uint8Array; events: string }>((db, parameter) =>
  db.query
    .selectFrom('webhook_endpoint')
    .select(['id', 'events'])
    .where('queue_id', '=', parameter('queueId')),
);

/** What a change has to tell: to webhooks, and to the people themselves by mail. */
export interface Told {
  events: DomainEvent[];
  mails: Occasion[];
}

/**
 * Writes events, mails and their deliveries into the transaction of the change, after everything else of it: entries
 * are shown as they will be once it is committed. Returns the lanes that then have something to deliver.
 */
export async function writeEvents(
  context: Context,
  change: QueueChange,
  { events, mails }: Told,
): Promise<Lane[]> {
  const { db } = context;
  const { trx, queue, now, send } = change;
  const seqs = [...new Set([...events, ...mails].flatMap((event) => seqOf(event) ?? []))];
  const [listeners, rows] = await Promise.all([
    events.length === 0 ? [] : findListeners.within(db, trx, { queueId: queue.id }),
    seqs.length === 0 ? [] : findBySeqs.within(db, trx, { queueId: queue.id, seqs: db.numbersList(seqs) }),
  ]);
  const shown = showEntries(context, queue, rows);
  const written = events.map((event, index) => writeEvent(queue, event, now, index, shown));
  const lanes = new Map<Uint8Array, Lane>();
  const deliveries = written.flatMap(({ id, kind }) =>
    listeners
      .filter(({ events: filter }) => wants(filter, kind))
      .map(({ id: targetId }): unknown[] => {
        lanes.set(targetId, { queueId: queue.id, channel: 'webhook', targetId });
        return [queue.id, 'webhook', targetId, id, now];
      }),
  );
  const mailed = mails.flatMap(
    (mail, index) =>
      writeMail(change, mail, shown.get(seqOf(mail) ?? 0), eventId(now, events.length + index)) ?? [],
  );
  for (const { id } of mailed) deliveries.push([queue.id, MAIL_CHANNEL, MAIL_TARGET, id, now]);
  if (mailed.length > 0)
    lanes.set(MAIL_TARGET, { queueId: queue.id, channel: MAIL_CHANNEL, targetId: MAIL_TARGET });
  const all = [...written, ...mailed];
  const eventRows = all.map(({ id, kind, body }) => [queue.id, id, kind, body, now]);
  const subjectRows = all.flatMap(({ id, subjects }) => subjects.map((subject) => [queue.id, subject, id]));
  // What may be told once a day has the same id all day.
  const suffix = mails.length === 0 ? '' : 'on conflict do nothing';
  send(db.insertRows(trx, { table: 'event', columns: EVENT_COLUMNS, rows: eventRows, suffix }));
  send(
    db.insertRows(trx, { table: 'event_subject', columns: EVENT_SUBJECT_COLUMNS, rows: subjectRows, suffix }),
  );
  send(db.insertRows(trx, { table: 'delivery', columns: DELIVERY_COLUMNS, rows: deliveries, suffix }));
  return [...lanes.values()];
}

export interface Shown {
  id: Uint8Array;
  view: EntryView;
  /** Ids of everybody whose data the view shows: the entry, and its referrer. */
  people: Uint8Array[];
}

function showEntries(context: Context, queue: Queue, rows: EntryRow[]): Map<number, Shown> {
  const views = viewEntries(context, queue, rows);
  return new Map(
    rows.map(({ seq, id, referrer_id }, index) => [
      seq,
      { id, view: views[index] as EntryView, people: referrer_id ? [id, referrer_id] : [id] },
    ]),
  );
}

function seqOf(event: DomainEvent | Occasion): number | undefined {
  return 'entry' in event && event.entry !== null ? event.entry : undefined;
}

/** The body is made and sealed once: every attempt sends these bytes. */
function writeEvent(queue: Queue, event: DomainEvent, now: number, index: number, shown: Map<number, Shown>) {
  const id = eventId(now, index);
  const seq = seqOf(event);
  const entry = seq === undefined ? undefined : shown.get(seq);
  const body = eventBody(queue, { id, kind: event.kind, at: now, data: dataOf(event, entry?.view ?? null) });
  const subjects = entry?.people ?? [];
  return {
    id,
    kind: event.kind,
    body: queue.vault.seal('event.body', id, body),
    subjects: 'invite' in event ? [...subjects, event.invite.id] : subjects,
  };
}

/** Ids of one transaction sort in the order in which things happened in it. */
function eventId(now: number, index: number): Buffer {
  const id = newId(now);
  id.writeUIntBE(index, 6, 3);
  return id;
}

export function eventBody(
  { environment, waitlist }: Queue,
  event: { id: Uint8Array; kind: string; at: number; data: object },
): string {
  return JSON.stringify({
    event: event.kind,
    id: formatId('evt', event.id),
    timestamp: isoTime(event.at),
    environment,
    waitlist: { id: waitlist.id, name: waitlist.name },
    data: event.data,
  });
}

function dataOf(event: DomainEvent, entry: EntryView | null): object {
  if ('invite' in event) {
    const { id, email, expiresAt } = event.invite;
    return { invite: { id: formatId('inv', id), email, expiresAt: isoTimeOrNull(expiresAt) }, entry };
  }
  if ('entryId' in event) return { entry: { id: formatId('ent', event.entryId) } };
  if ('referred' in event) return { entry, referred: formatId('ent', event.referred) };
  return { entry };
}
