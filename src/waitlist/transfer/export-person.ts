import { DoorlistError } from '../../errors.ts';
import { formatId, parseId } from '../../ids.ts';
import { isoTime } from '../../time.ts';
import { findEntry } from '../entries/entries.ts';
import type { EntryView } from '../entries/entry-view.ts';
import { findConfirmation, type OperatorConfirmation } from '../entries/operator-confirmation.ts';
import { type InviteSummary, listInvites } from '../invites/list-invites.ts';
import { parseEmail } from '../people/identity.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/directory.ts';

const MOST_INVITES = 1_000;

/** Everything that is held on one person. */
export interface PersonExport {
  waitlist: { id: string; name: string };
  environment: string;
  /** null: the person has invites or mails, but never signed up. */
  entry: EntryView | null;
  /** null: nobody but the person has confirmed the email, or nobody has. */
  operatorConfirmation: OperatorConfirmation | null;
  invites: InviteSummary[];
  /** What webhooks were told of the person, and what mails to them are made of, word for word. */
  events: { id: string; kind: string; at: string; body: unknown }[];
}

export async function exportPerson(
  context: Context,
  queue: Queue,
  identifier: string,
): Promise<PersonExport> {
  const found = await findEntry(context, queue, identifier).catch(notOnList);
  const email = parseEmail(found instanceof DoorlistError ? identifier : (found.email ?? ''));
  const emailHash = email && queue.vault.hash('email', email.key);
  const invites = emailHash ? await listInvites(context, queue, { emailHash, limit: MOST_INVITES }) : [];
  const entry = found instanceof DoorlistError ? null : found;
  const entryId = parseId('ent', entry?.id ?? '');
  const ids = [entryId, ...invites.map(({ id }) => parseId('inv', id))];
  const subjects = [...ids, emailHash].filter((id) => id !== undefined);
  const events = await eventsAbout(context, queue, subjects);
  if (found instanceof DoorlistError && invites.length + events.length === 0) throw found;
  return {
    waitlist: { id: queue.waitlist.id, name: queue.waitlist.name },
    environment: queue.environment,
    entry,
    operatorConfirmation: entryId ? await findConfirmation(context, queue, entryId) : null,
    invites,
    events,
  };
}

function notOnList(error: Error): DoorlistError {
  if (error instanceof DoorlistError && error.code === 'not_found') return error;
  throw error;
}

async function eventsAbout(
  { db }: Context,
  queue: Queue,
  subjects: Buffer[],
): Promise<PersonExport['events']> {
  const rows = await db.query
    .selectFrom('event')
    .select(['id', 'kind', 'body', 'created_at'])
    .where('queue_id', '=', queue.id)
    .where('id', 'in', (e) =>
      e
        .selectFrom('event_subject')
        .select('event_id')
        .where('queue_id', '=', queue.id)
        .where((x) => db.inBytes(x.ref('subject'), x.val(db.bytesList(subjects)))),
    )
    .orderBy('id')
    .execute();
  return rows.map(({ id, kind, body, created_at }) => ({
    id: formatId('evt', id),
    kind,
    at: isoTime(created_at),
    body: body && (JSON.parse(queue.vault.open<string>('event.body', id, body)) as unknown),
  }));
}
