import Type from 'typebox';
import { closed } from '../../../operations/core/schemas.ts';
import { listSameMailbox, readEntry } from '../../../waitlist/entries/browse-entries.ts';
import { AdminEntrySchema, EXAMPLE_ADMIN_ENTRY, presentAdminEntry } from '../../../wire/entry.ts';
import { maskFor } from '../../../wire/mask.ts';
import { named } from '../../../wire/schema.ts';
import type { TypedApp } from '../../typed-app.ts';
import { adminSchema } from '../core/operation.ts';
import type { AdminParts } from '../core/parts.ts';
import { queueToRead } from '../core/reading.ts';
import { environmentQuery } from '../core/waitlist-scope.ts';
import { EntryParams, entrySpecial } from './entry.ts';

const SHOWN_MAX = 20;

const SameMailbox = Type.Object(
  {
    entries: Type.Array(AdminEntrySchema, { maxItems: SHOWN_MAX, description: 'In join order.' }),
    more: Type.Boolean({ description: 'Whether there are others, which are not listed.' }),
  },
  { ...named('SameMailbox'), description: 'Entries whose email goes to the same mailbox.' },
);

const schema = adminSchema({
  operationId: 'listSameMailbox',
  tag: 'Entries',
  summary: 'List who shares the mailbox of an entry',
  description:
    `Returns up to ${SHOWN_MAX} other entries whose email differs only in a tag (\`ada+1@example.com\`) or, at Gmail, in dots. They are ` +
    'separate entries, but count as one person for referrals and for the emails that the form sends.',
  role: 'viewer',
  params: EntryParams,
  querystring: Type.Object(environmentQuery, closed),
  answer: {
    description: 'The other entries.',
    schema: SameMailbox,
    example: { entries: [EXAMPLE_ADMIN_ENTRY], more: false },
  },
  errors: ['not_found'],
  special: entrySpecial,
});

export function registerSameMailbox(app: TypedApp, parts: AdminParts): void {
  const { waitlists } = parts;
  app.get('/waitlists/:waitlistId/entries/:entryId/mailbox', { schema }, async (request) => {
    const { params, caller } = request;
    const queue = await queueToRead(parts, request);
    const entry = await readEntry(waitlists, queue, params.entryId);
    const { entries, more } = await listSameMailbox(waitlists, queue, entry, SHOWN_MAX);
    const mask = maskFor(caller.actor.role);
    return { entries: entries.map((each) => mask.entry(presentAdminEntry(each))), more };
  });
}
