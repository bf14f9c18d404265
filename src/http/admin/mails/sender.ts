import Type, { type Static } from 'typebox';
import { checkSender } from '../../../mail/sender/check-sender.ts';
import { SENDER_CHECKS, SENDER_STATES } from '../../../mail/sender/dns.ts';
import { showMailSettings } from '../../../mail/update-settings.ts';
import { named, nullable, oneOf } from '../../../wire/schema.ts';
import type { TypedApp } from '../../typed-app.ts';
import { adminSchema } from '../core/operation.ts';
import type { AdminParts } from '../core/parts.ts';
import { requireQueue } from '../core/waitlist-scope.ts';
import { EnvironmentQuery, NO_WAITLIST, sendingFor, tag, WaitlistParams } from './scope.ts';

const SenderFindingObject = Type.Object(
  {
    check: oneOf(SENDER_CHECKS, {
      description:
        'What was looked at: the SPF record, the DKIM record of the key that signs, the DMARC record, whether what is authenticated is in the domain of From, whether bounces can arrive, and the unsubscribe link.',
    }),
    state: oneOf(SENDER_STATES, {
      description:
        '`ok`, `problem`, or `unchecked` if nothing is known, such as when the DNS did not answer.',
    }),
    detail: Type.String({ description: 'What was found, in sentences.' }),
    fix: nullable<string>('string', { description: 'What to do about it. `null`: nothing.' }),
  },
  { ...named('SenderFinding'), description: 'What was found out about a sender.' },
);

const SenderCheck = Type.Object(
  {
    from: Type.String({ description: 'The address that the emails of the waitlist come from.' }),
    bounceAddress: nullable<string>('string', {
      description: 'Where bounces are sent. `null`: to the sender. Set by `DOORLIST_BOUNCE_ADDRESS`.',
    }),
    mailServer: Type.Boolean({
      description: 'Whether there is a mail server. Without one, nothing is checked.',
    }),
    findings: Type.Array(SenderFindingObject, { description: 'One for each check.' }),
  },
  { ...named('SenderCheck'), description: 'What receivers find out about the sender of a waitlist.' },
);

const schema = adminSchema({
  operationId: 'checkMailSender',
  tag,
  summary: 'Check the sender',
  description:
    'Looks up the DNS records of the sender now: SPF, DKIM, DMARC and MX. Takes up to 10 seconds if the DNS does not answer.',
  role: 'support',
  params: WaitlistParams,
  querystring: EnvironmentQuery,
  answer: {
    description: 'What was found.',
    schema: SenderCheck,
    example: {
      from: 'team@acme.example',
      bounceAddress: 'bounces@acme.example',
      mailServer: true,
      findings: [
        {
          check: 'dmarc',
          state: 'problem',
          detail: 'acme.example has no DMARC record, and neither has a domain above it.',
          fix: 'Publish a TXT record at _dmarc.acme.example, to begin with "v=DMARC1; p=none". Large providers ask for one.',
        },
      ],
    },
  },
  errors: ['not_found'],
  special: NO_WAITLIST,
});

export function registerSenderCheck(app: TypedApp, parts: AdminParts): void {
  app.get('/waitlists/:waitlistId/mail/sender', { schema }, async ({ params, query }) => {
    await requireQueue(parts, params, query);
    return examineSender(parts, params.waitlistId);
  });
}

async function examineSender(parts: AdminParts, waitlistId: string): Promise<Static<typeof SenderCheck>> {
  const { emails, waitlists } = parts;
  const { publicUrl, defaultFrom } = await sendingFor(parts);
  const from = (await showMailSettings(waitlists, waitlistId)).from ?? defaultFrom;
  const { bounceAddress, dkim } = emails;
  const shown = { from, bounceAddress: bounceAddress ?? null, mailServer: emails.smtp };
  if (!emails.smtp) return { ...shown, findings: [] };
  const dns = parts.openDns();
  try {
    return { ...shown, findings: await checkSender(dns, { from, bounceAddress, dkim, publicUrl }) };
  } finally {
    dns.close();
  }
}
