import Type, { type Static } from 'typebox';
import { damaged, notFound } from '../../../lib/errors.ts';
import { formatId } from '../../../lib/ids.ts';
import { isoTime, isoTimeOrNull } from '../../../lib/time.ts';
import { formatCursor, readCursor } from '../../../operations/core/cursors.ts';
import {
  nextCursorSchema,
  PAGE_LIMIT_DEFAULT,
  PAGE_LIMIT_MAX,
  pageQuery,
} from '../../../operations/core/pages.ts';
import { closed } from '../../../operations/core/schemas.ts';
import { listAudit } from '../../../operators/read-audit.ts';
import { listReferred, readEntry } from '../../../waitlist/entries/browse-entries.ts';
import { HISTORY_KINDS, type HistoryEvent, readHistory } from '../../../waitlist/entries/history.ts';
import { exportPerson } from '../../../waitlist/transfer/export/export-person.ts';
import { AdminEntrySchema, EXAMPLE_ADMIN_ENTRY, presentAdminEntry } from '../../../wire/entry.ts';
import { presentPerson } from '../../../wire/export.ts';
import { maskFor } from '../../../wire/mask.ts';
import { named, nullable, oneOf, time, timeOrNull } from '../../../wire/schema.ts';
import type { TypedApp } from '../../typed-app.ts';
import { adminSchema } from '../core/operation.ts';
import type { AdminParts } from '../core/parts.ts';
import { queueToRead } from '../core/reading.ts';
import { domainFor, environmentQuery, requireQueue } from '../core/waitlist-scope.ts';
import { EntryParams, entrySpecial } from './entry.ts';

const tag = 'Entries';
const MOVES_MAX = 200;
const ERASED = 'this entry was erased: nothing is stored about the person';
const DAMAGED = 'this entry is damaged: what is stored about the person cannot be decrypted';

const position = (description: string) =>
  Type.Unsafe<number | null>({ type: ['integer', 'null'], minimum: 1, description });

const EventObject = Type.Object(
  {
    at: time('When it happened.'),
    kind: oneOf(HISTORY_KINDS, { description: 'What happened.' }),
    entryId: nullable<string>('string', { description: 'Who was referred.' }),
    inviteId: nullable<string>('string', { description: 'The invite it is about.' }),
    expiresAt: timeOrNull('When the invite expires.'),
    by: nullable<string>('string', {
      description:
        'Who confirmed the email in place of its owner, or moved the entry: an operator, a token or the command line.',
    }),
    from: position('Position before it was moved.'),
    to: position('Position that it was moved to.'),
  },
  { ...named('EntryEvent'), description: 'One thing that happened to an entry.' },
);

const History = Type.Object(
  { events: Type.Array(EventObject, { description: 'Oldest first.' }) },
  { ...named('EntryHistory'), description: 'What happened to an entry.' },
);

function presentEvent(event: HistoryEvent): Static<typeof EventObject> {
  return {
    at: isoTime(event.at),
    kind: event.kind,
    entryId: event.entryId ? formatId('ent', event.entryId) : null,
    inviteId: event.inviteId ? formatId('inv', event.inviteId) : null,
    expiresAt: isoTimeOrNull(event.expiresAt ?? null),
    by: event.by ?? null,
    from: event.moved?.from ?? null,
    to: event.moved?.to ?? null,
  };
}

const historySchema = adminSchema({
  operationId: 'getEntryHistory',
  tag,
  summary: "Get an entry's history",
  description:
    'Returns what happened to an entry: signup, confirmation, credited referrals, invites and what became of them, moves ' +
    'by operators, removal. Of referrals, invites and moves, the newest 200 each.',
  role: 'support',
  params: EntryParams,
  querystring: Type.Object(environmentQuery, closed),
  answer: {
    description: 'The history.',
    schema: History,
    example: {
      events: [
        {
          at: '2026-11-15T09:30:00.000Z',
          kind: 'signup.created',
          entryId: null,
          inviteId: null,
          expiresAt: null,
          by: null,
          from: null,
          to: null,
        },
      ],
    },
  },
  errors: ['not_found'],
  special: entrySpecial,
});

const Referred = Type.Object(
  {
    entries: Type.Array(AdminEntrySchema, { maxItems: PAGE_LIMIT_MAX, description: 'In join order.' }),
    nextCursor: nextCursorSchema,
  },
  { ...named('ReferredPage'), description: 'One page of referred entries.' },
);

const referralsSchema = adminSchema({
  operationId: 'listReferredEntries',
  tag,
  summary: 'List who an entry referred',
  description: 'Returns the entries that named this one as their referrer, whether or not it was credited.',
  role: 'viewer',
  params: EntryParams,
  querystring: Type.Object({ ...environmentQuery, ...pageQuery }, closed),
  answer: {
    description: 'A page of entries.',
    schema: Referred,
    example: { entries: [EXAMPLE_ADMIN_ENTRY], nextCursor: null },
  },
  errors: ['not_found'],
  special: entrySpecial,
});

const PersonSchema = Type.Object(
  {
    waitlist: Type.Unsafe<object>({
      type: 'object',
      additionalProperties: true,
      description: 'The waitlist.',
    }),
    environment: Type.String({ description: 'Environment of the waitlist.' }),
    entry: Type.Unsafe<object | null>({
      type: ['object', 'null'],
      additionalProperties: true,
      description: 'The entry.',
    }),
    operatorConfirmation: Type.Unsafe<object | null>({
      type: ['object', 'null'],
      additionalProperties: true,
      description: 'Who confirmed the email in place of its owner.',
    }),
    invites: Type.Array(
      Type.Unsafe<object>({ type: 'object', additionalProperties: true, description: 'An invite.' }),
      { description: 'All invites to the email.' },
    ),
    events: Type.Array(
      Type.Unsafe<object>({ type: 'object', additionalProperties: true, description: 'A message.' }),
      { description: 'What webhooks received, and what emails are made from.' },
    ),
  },
  { ...named('PersonExport'), description: 'Everything that is stored about one person.' },
);

const exportSchema = adminSchema({
  operationId: 'exportEntry',
  tag,
  summary: 'Export one person',
  description:
    'Returns everything that is stored about one person, to answer a request for access. Recorded in the audit trail.',
  role: 'admin',
  params: EntryParams,
  querystring: Type.Object(environmentQuery, closed),
  answer: {
    description: 'The data.',
    schema: PersonSchema,
    example: {
      waitlist: { id: 'wl_acme', name: 'Acme' },
      environment: 'production',
      entry: EXAMPLE_ADMIN_ENTRY,
      operatorConfirmation: null,
      invites: [],
      events: [],
    },
  },
  errors: ['not_found'],
  special: entrySpecial,
});

/** Only the audit trail knows of them. */
async function movesOf(operators: AdminParts['context'], entryId: string): Promise<HistoryEvent[]> {
  const about = { object: `entry:${entryId}`, action: 'entry.moved' };
  const { records } = await listAudit(operators, { limit: MOVES_MAX, ...about });
  return records
    .filter(({ isDamaged }) => !isDamaged)
    .map(({ at, actor, details: { actorName, before, after } }) => ({
      at,
      kind: 'entry.moved',
      by: actorName ?? actor,
      moved: { from: Number(before?.position), to: Number(after?.position) },
    }));
}

export function registerAboutEntry(app: TypedApp, parts: AdminParts): void {
  const { waitlists } = parts;
  const path = '/waitlists/:waitlistId/entries/:entryId';

  app.get(`${path}/history`, { schema: historySchema }, async (request) => {
    const { params } = request;
    const queue = await queueToRead(parts, request);
    const entry = await readEntry(waitlists, queue, params.entryId);
    const events = [
      ...(await readHistory(waitlists, queue, entry)),
      ...(await movesOf(parts.context, params.entryId)),
    ];
    return { events: events.toSorted((a, b) => a.at - b.at).map(presentEvent) };
  });

  app.get(`${path}/referrals`, { schema: referralsSchema }, async (request) => {
    const { params, query, caller } = request;
    const queue = await queueToRead(parts, request);
    const entry = await readEntry(waitlists, queue, params.entryId);
    const { limit = PAGE_LIMIT_DEFAULT, cursor } = query;
    const page = await listReferred(waitlists, queue, entry, { limit, cursor: readCursor(cursor) });
    const mask = maskFor(caller.actor.role);
    return {
      entries: page.entries.map((each) => mask.entry(presentAdminEntry(each))),
      nextCursor: formatCursor(page.next),
    };
  });

  app.get(`${path}/export`, { schema: exportSchema }, async (request) => {
    const { params, query } = request;
    const domain = domainFor(parts, request);
    const queue = await requireQueue(parts, params, query);
    const { email, phone, missing } = await readEntry(domain, queue, params.entryId);
    const who = email ?? phone;
    if (missing === 'damaged') throw damaged(DAMAGED);
    if (who === null) throw notFound(ERASED);
    const person = presentPerson(await exportPerson(domain, queue, who));
    const object = { kind: 'entry', id: params.entryId } as const;
    await domain.db.transaction(async (trx) => domain.audit?.(trx, { action: 'entry.exported', object }));
    return person;
  });
}
