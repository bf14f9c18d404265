import Type, { type Static } from 'typebox';
import { DECISIONS } from '../../db/tables.ts';
import { formatId } from '../../lib/ids.ts';
import { isoTime, isoTimeOrNull } from '../../lib/time.ts';
import { shareUrls } from '../../mail/share-url.ts';
import type { OperatorContext } from '../../operators/context.ts';
import { type AuditRecord, listAudit } from '../../operators/read-audit.ts';
import { PLACES_MAX } from '../../waitlist/codes/change-codes.ts';
import { listReferred, listSameMailbox, readEntry } from '../../waitlist/entries/browse-entries.ts';
import { explainPosition } from '../../waitlist/entries/explain-position.ts';
import { HISTORY_KINDS, type HistoryEvent, readHistory } from '../../waitlist/entries/history.ts';
import { aliasesOf } from '../../waitlist/referrals/referral-alias.ts';
import { exportEntry } from '../../waitlist/transfer/export/export-person.ts';
import { AdminEntrySchema, EXAMPLE_ADMIN_ENTRY, presentAdminEntry } from '../../wire/entry.ts';
import { presentPerson } from '../../wire/export.ts';
import { COUNT_MAX, named, nullable, oneOf, time, timeOrNull } from '../../wire/schema.ts';
import { operation } from '../core/operation.ts';
import {
  formatCursor,
  nextCursorSchema,
  PAGE_LIMIT_DEFAULT,
  PAGE_LIMIT_MAX,
  pageQuery,
  readCursor,
} from '../core/pages.ts';
import { entryParams as params } from '../core/scope.ts';

const tag = 'Entries';
const scope = 'queue';
const RECORDED_MAX = 200;
const SHOWN_MAX = 20;

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
        'Who confirmed the email in place of its owner, moved or changed the entry, or decided about it: an operator, a token or the command line.',
    }),
    fields: Type.Array(Type.String({ description: 'A field of the entry.' }), {
      description: 'What an operator changed. Empty if it is not about that.',
    }),
    note: nullable<string>('string', { description: 'What was noted with a decision.' }),
    from: position('Position before it was moved.'),
    to: position('Position that it was moved to.'),
  },
  { ...named('EntryEvent'), description: 'One thing that happened to an entry.' },
);

const History = Type.Object(
  { events: Type.Array(EventObject, { description: 'Oldest first.' }) },
  { ...named('EntryHistory'), description: 'What happened to an entry.' },
);

const PositionReasons = Type.Object(
  {
    position: position('Position now. `null` unless the entry is waiting.'),
    waiting: Type.Integer({ minimum: 0, description: 'How many entries are waiting.' }),
    joinedAs: Type.Integer({
      minimum: 1,
      description:
        'The place in which it joined: 813 for the 813th. Those who left without a trace, such as an import that was undone, do not count.',
    }),
    referrals: Type.Integer({ minimum: 0, description: 'Credited referrals.' }),
    boost: Type.Integer({
      minimum: 0,
      description: 'How many places earlier each referral makes it count as having joined.',
    }),
    advanced: Type.Integer({
      minimum: 0,
      maximum: PLACES_MAX,
      description:
        'How many places earlier it counts as having joined, by the code it came with. 0 without one.',
    }),
    code: nullable<string>('string', {
      description: 'That code. `null` without one, for viewers, and if it cannot be decrypted.',
    }),
    moved: Type.Integer({
      minimum: -COUNT_MAX,
      maximum: COUNT_MAX,
      description: 'How many places later an operator put it. Negative: earlier. 0 if nobody moved it.',
    }),
  },
  { ...named('PositionReasons'), description: 'What the position of an entry comes from.' },
);

const Referred = Type.Object(
  {
    entries: Type.Array(AdminEntrySchema, { maxItems: PAGE_LIMIT_MAX, description: 'In join order.' }),
    nextCursor: nextCursorSchema,
  },
  { ...named('ReferredPage'), description: 'One page of referred entries.' },
);

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
    decisions: Type.Array(
      Type.Unsafe<object>({ type: 'object', additionalProperties: true, description: 'A decision.' }),
      { description: 'What was decided about the entry, with the notes, newest first.' },
    ),
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

const SameMailbox = Type.Object(
  {
    entries: Type.Array(AdminEntrySchema, { maxItems: SHOWN_MAX, description: 'In join order.' }),
    more: Type.Boolean({ description: 'Whether there are others, which are not listed.' }),
  },
  { ...named('SameMailbox'), description: 'Entries whose email goes to the same mailbox.' },
);

const Share = Type.Object(
  {
    shareUrl: nullable<string>('string', {
      description:
        'The link to share in their emails, with their `referralCode`. `null` if the waitlist has no referral URL and its form is off, or if ' +
        'nothing is stored about the person.',
    }),
    byForm: Type.Boolean({
      description:
        'Whether they signed up with the public form. It shows a link with a longer code, a different one at each visit: whoever types an ' +
        'address must not learn its code. Those codes count for them, too.',
    }),
    importedCode: nullable<string>('string', {
      description: 'The referral code that they were imported with, if it leads to them.',
    }),
    otherCodes: Type.Integer({
      minimum: 0,
      description: 'Other imported codes that lead to them, of which only hashes are stored.',
    }),
  },
  { ...named('EntryShare'), description: 'What leads to an entry when others sign up.' },
);

export const aboutEntry = [
  operation({
    id: 'getEntryHistory',
    at: 'GET /waitlists/:waitlistId/entries/:entryId/history',
    tag,
    summary: "Get an entry's history",
    description:
      'Returns what happened to an entry: signup, confirmation, credited referrals, invites and what became of them, moves ' +
      'and changes by operators, decisions with their notes, removal. Of referrals, invites, moves, changes and decisions, the newest 200 each.',
    role: 'support',
    shows: 'people',
    scope,
    params,
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
            fields: [],
            note: null,
            from: null,
            to: null,
          },
        ],
      },
    },
    run: async ({ context, parts, queue, params: { entryId } }) => {
      const entry = await readEntry(context, queue, entryId);
      const events = [
        ...(await withNames(parts.context, await readHistory(context, queue, entry))),
        ...(await recordedOf(parts.context, entryId, 'entry.moved', ({ before, after }) => ({
          moved: { from: Number(before?.position), to: Number(after?.position) },
        }))),
        ...(await recordedOf(parts.context, entryId, 'entry.updated', ({ after }) => ({
          fields: Array.isArray(after?.fields) ? after.fields.map(String) : ['metadata'],
        }))),
      ];
      return { events: events.toSorted((a, b) => a.at - b.at).map(presentEvent) };
    },
  }),
  operation({
    id: 'getEntryPosition',
    at: 'GET /waitlists/:waitlistId/entries/:entryId/position',
    tag,
    summary: "Explain an entry's position",
    description:
      'Returns what the position comes from: waiting entries are in the order of `joinedAs - referrals × boost - advanced + moved`, and of equal ones ' +
      'the one that joined later comes first.',
    role: 'viewer',
    scope,
    params,
    answer: {
      description: 'The position and what it comes from.',
      schema: PositionReasons,
      example: {
        ...{ position: 756, waiting: 4210, joinedAs: 813, referrals: 1, boost: 5 },
        ...{ advanced: 50, code: 'FRIENDS-OF-ADA', moved: 0 },
      },
    },
    run: async ({ context, queue, mask, params: { entryId } }) => {
      const { seq } = await readEntry(context, queue, entryId);
      const { code, ...reasons } = await explainPosition(context, queue, seq);
      return { ...reasons, code: mask.secret(code) };
    },
  }),
  operation({
    id: 'listReferredEntries',
    at: 'GET /waitlists/:waitlistId/entries/:entryId/referrals',
    tag,
    summary: 'List who an entry referred',
    description: 'Returns the entries that named this one as their referrer, whether or not it was credited.',
    role: 'viewer',
    shows: 'people',
    scope,
    params,
    query: pageQuery,
    answer: {
      description: 'A page of entries.',
      schema: Referred,
      example: { entries: [EXAMPLE_ADMIN_ENTRY], nextCursor: null },
    },
    run: async ({ context, queue, mask, params: { entryId }, query }) => {
      const { limit = PAGE_LIMIT_DEFAULT, cursor } = query;
      const entry = await readEntry(context, queue, entryId);
      const page = await listReferred(context, queue, entry, { limit, cursor: readCursor(cursor) });
      return {
        entries: page.entries.map((each) => mask.entry(presentAdminEntry(each))),
        nextCursor: formatCursor(page.next),
      };
    },
  }),
  operation({
    id: 'exportEntry',
    at: 'GET /waitlists/:waitlistId/entries/:entryId/export',
    tag,
    summary: 'Export one person',
    description:
      'Returns everything that is stored about one person, to answer a request for access. Recorded in the audit trail.',
    role: 'admin',
    scope,
    params,
    answer: {
      description: 'The data.',
      schema: PersonSchema,
      example: {
        waitlist: { id: 'wl_acme', name: 'Acme' },
        environment: 'production',
        entry: EXAMPLE_ADMIN_ENTRY,
        operatorConfirmation: null,
        decisions: [],
        invites: [],
        events: [],
      },
    },
    run: async ({ context, queue, params: { entryId } }) =>
      presentPerson(await exportEntry(context, queue, entryId)),
  }),
  operation({
    id: 'listSameMailbox',
    at: 'GET /waitlists/:waitlistId/entries/:entryId/mailbox',
    tag,
    summary: 'List who shares the mailbox of an entry',
    description:
      `Returns up to ${SHOWN_MAX} other entries whose email differs only in a tag (\`ada+1@example.com\`) or, at Gmail, in dots. They are ` +
      'separate entries, but count as one person for referrals and for the emails that the form sends.',
    role: 'viewer',
    shows: 'people',
    scope,
    params,
    answer: {
      description: 'The other entries.',
      schema: SameMailbox,
      example: { entries: [EXAMPLE_ADMIN_ENTRY], more: false },
    },
    run: async ({ context, queue, mask, params: { entryId } }) => {
      const entry = await readEntry(context, queue, entryId);
      const { entries, more } = await listSameMailbox(context, queue, entry, SHOWN_MAX);
      return { entries: entries.map((each) => mask.entry(presentAdminEntry(each))), more };
    },
  }),
];

export const getEntryShare = operation({
  id: 'getEntryShare',
  at: 'GET /waitlists/:waitlistId/entries/:entryId/share',
  tag,
  summary: "Get an entry's share link",
  description:
    'Returns the link that a person shares, and the referral codes beside their own that count for them.',
  role: 'support',
  shows: 'people',
  scope,
  params,
  answer: {
    description: 'The link and the codes.',
    schema: Share,
    example: {
      shareUrl: 'https://acme.example/?ref=k3v9x0ab',
      byForm: false,
      importedCode: 'ADA-2024',
      otherCodes: 0,
    },
  },
  run: async ({ context, parts, queue, params: { entryId } }) => {
    const entry = await readEntry(context, queue, entryId);
    const shareUrl = await shareUrls(context, queue, parts.publicUrl);
    const { code, others } = await aliasesOf(context.db, queue, entry);
    return {
      shareUrl: entry.referralCode && shareUrl(entry.referralCode),
      byForm: entry.byForm,
      importedCode: code,
      otherCodes: others,
    };
  },
});

function presentEvent(event: HistoryEvent): Static<typeof EventObject> {
  return {
    at: isoTime(event.at),
    kind: event.kind,
    entryId: event.entryId ? formatId('ent', event.entryId) : null,
    inviteId: event.inviteId ? formatId('inv', event.inviteId) : null,
    expiresAt: isoTimeOrNull(event.expiresAt ?? null),
    by: event.by ?? null,
    fields: [...(event.fields ?? [])],
    note: event.note ?? null,
    from: event.moved?.from ?? null,
    to: event.moved?.to ?? null,
  };
}

/** Who decided is stored by id. The names are in the audit trail. */
async function withNames(operators: OperatorContext, events: HistoryEvent[]): Promise<HistoryEvent[]> {
  const isDecision = ({ kind }: HistoryEvent) => DECISIONS.some((decision) => kind === `entry.${decision}`);
  const actors = [...new Set(events.filter(isDecision).flatMap(({ by }) => by ?? []))];
  const names = new Map<string, string | null | undefined>();
  for (const actor of actors) {
    const { records } = await listAudit(operators, { limit: 1, actor });
    names.set(actor, records[0]?.details.actorName);
  }
  return events.map((event) =>
    event.by && isDecision(event) ? { ...event, by: names.get(event.by) ?? event.by } : event,
  );
}

/** What only the audit trail knows. */
async function recordedOf(
  operators: OperatorContext,
  entryId: string,
  action: 'entry.moved' | 'entry.updated',
  read: (details: AuditRecord['details']) => Partial<HistoryEvent>,
): Promise<HistoryEvent[]> {
  const about = { object: `entry:${entryId}`, action };
  const { records } = await listAudit(operators, { limit: RECORDED_MAX, ...about });
  return records
    .filter(({ isDamaged }) => !isDamaged)
    .map(({ at, actor, details }) => ({
      ...{ at, kind: action, by: details.actorName ?? actor },
      ...read(details),
    }));
}
