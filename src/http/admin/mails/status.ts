import Type, { type Static } from 'typebox';
import { countKept } from '../../../mail/mail-log.ts';
import { mailableFrom, mailWarnings } from '../../../mail/mailable.ts';
import { MAIL_KINDS } from '../../../mail/templates/kinds.ts';
import {
  EXAMPLE_MAILABLE,
  mailableFields,
  presentMailable,
  warnings,
} from '../../../operations/core/mailable.ts';
import type { Queue } from '../../../waitlist/queue/queue.ts';
import { mailTarget } from '../../../waitlist/sending/state.ts';
import { named, oneOf } from '../../../wire/schema.ts';
import type { TypedApp } from '../../typed-app.ts';
import { adminSchema } from '../core/operation.ts';
import type { AdminParts } from '../core/parts.ts';
import { requireQueue } from '../core/waitlist-scope.ts';
import { EnvironmentQuery, NO_WAITLIST, tag, WaitlistParams } from './scope.ts';

const MailStatus = Type.Object(
  {
    kinds: Type.Array(
      Type.Object(
        { kind: oneOf(MAIL_KINDS, { description: 'Kind of email.' }), ...mailableFields },
        { ...named('MailableKind'), description: 'Whether emails of a kind are sent.' },
      ),
      { description: 'One for each kind.' },
    ),
    warnings,
    kept: Type.Integer({
      minimum: 0,
      description: 'Number of emails that were kept and not sent, up to 10,000.',
    }),
    keptMore: Type.Boolean({ description: 'Whether there are more kept emails than that.' }),
  },
  { ...named('MailStatus'), description: 'Whether the emails of a waitlist are sent.' },
);

const schema = adminSchema({
  operationId: 'getMailStatus',
  tag,
  summary: 'Get whether emails are sent',
  description:
    'Returns for each kind of email whether it is sent, and why not, and how many emails are kept.',
  role: 'viewer',
  params: WaitlistParams,
  querystring: EnvironmentQuery,
  answer: {
    description: 'The status.',
    schema: MailStatus,
    example: { kinds: [{ kind: 'invite', ...EXAMPLE_MAILABLE }], warnings: [], kept: 0, keptMore: false },
  },
  errors: ['not_found'],
  special: NO_WAITLIST,
});

export function registerMailStatus(app: TypedApp, parts: AdminParts): void {
  app.get('/waitlists/:waitlistId/mail/status', { schema }, async ({ params, query }) =>
    readStatus(parts, await requireQueue(parts, params, query)),
  );
}

async function readStatus(
  { waitlists, emails }: AdminParts,
  queue: Queue,
): Promise<Static<typeof MailStatus>> {
  const kinds = await Promise.all(
    MAIL_KINDS.map(async (kind) => ({
      kind,
      ...presentMailable(await mailableFrom(waitlists, queue, kind, emails.smtp)),
    })),
  );
  const { count, more } = await countKept(waitlists.db, mailTarget(queue.id));
  const found = await mailWarnings(waitlists, queue.waitlist.id, emails.smtp);
  return { kinds, warnings: found, kept: count, keptMore: more };
}
