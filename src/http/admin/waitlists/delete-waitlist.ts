import Type from 'typebox';
import { closed, Deleted } from '../../../operations/core/schemas.ts';
import { deleteWaitlist } from '../../../waitlist/settings/delete-waitlist.ts';
import { named, WORD, withExamples } from '../../../wire/schema.ts';
import { EXAMPLE_WAITLIST } from '../../../wire/waitlist.ts';
import type { TypedApp } from '../../typed-app.ts';
import { adminSchema } from '../core/operation.ts';
import type { AdminParts } from '../core/parts.ts';
import { domainFor, waitlistParams } from '../core/waitlist-scope.ts';

const Confirmation = Type.Object(
  { confirm: Type.String({ ...WORD, description: 'Id of the waitlist, again.' }) },
  {
    ...named('WaitlistDeletion'),
    ...closed,
    description: 'Confirms that you mean this waitlist.',
    ...withExamples({ confirm: { summary: 'Delete wl_acme', value: { confirm: EXAMPLE_WAITLIST.id } } }),
  },
);

const schema = adminSchema({
  operationId: 'deleteWaitlist',
  tag: 'Waitlists',
  summary: 'Delete a waitlist',
  description:
    'Deletes the waitlist in every environment, with its entries, invites, server keys, webhooks and emails. Its ' +
    'encryption keys are destroyed, so the data is unreadable at once, also in this database’s later backups. It ' +
    'cannot be undone. Afterwards, the id can be used for a new waitlist.',
  role: 'owner',
  params: Type.Object(waitlistParams),
  body: Confirmation,
  answer: {
    description: 'The waitlist was deleted.',
    schema: Deleted,
    example: { id: EXAMPLE_WAITLIST.id, deleted: true },
  },
  errors: ['not_found'],
  special: {
    invalid_request: { message: 'confirm: must be wl_acme' },
    not_found: { when: 'The waitlist does not exist.', message: 'there is no waitlist wl_acme' },
  },
});

export function registerDeleteWaitlist(app: TypedApp, parts: AdminParts): void {
  app.delete('/waitlists/:waitlistId', { schema }, async (request) => {
    const { waitlistId: id } = request.params;
    await deleteWaitlist(domainFor(parts, request), id, request.body.confirm);
    return { id, deleted: true as const };
  });
}
