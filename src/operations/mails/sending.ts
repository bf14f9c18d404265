import Type, { type Static } from 'typebox';
import { checkSender } from '../../mail/sender/check-sender.ts';
import { SENDER_CHECKS, SENDER_STATES } from '../../mail/sender/dns.ts';
import { showMailSettings } from '../../mail/update-settings.ts';
import type { Context } from '../../waitlist/queue/context.ts';
import { requireQueue } from '../../waitlist/queue/registry.ts';
import { changeSending, type WarmUpPlan } from '../../waitlist/sending/change-sending.ts';
import { showSending } from '../../waitlist/sending/read-sending.ts';
import { named, oneOf, withExamples } from '../../wire/schema.ts';
import { limitFields, presentSending, SendingSchema, warmUpFields } from '../../wire/sending.ts';
import { operation } from '../core/operation.ts';
import type { OperationParts } from '../core/parts.ts';
import { closed } from '../core/schemas.ts';
import { sendingFor, tag, textOrNull } from './mail.ts';

const SenderFinding = Type.Object(
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
    fix: textOrNull('What to do about it. `null`: nothing.'),
  },
  { ...named('SenderFinding'), description: 'What was found out about a sender.' },
);

const SenderCheck = Type.Object(
  {
    from: Type.String({ description: 'The address that the emails of the waitlist come from.' }),
    bounceAddress: textOrNull(
      'Where bounces are sent. `null`: to the sender. Set by `DOORLIST_BOUNCE_ADDRESS`.',
    ),
    mailServer: Type.Boolean({
      description: 'Whether there is a mail server. Without one, nothing is checked.',
    }),
    findings: Type.Array(SenderFinding, { description: 'One for each check.' }),
  },
  { ...named('SenderCheck'), description: 'What receivers find out about the sender of a waitlist.' },
);

const SendingChanges = Type.Object(
  {
    bouncePercent: Type.Optional(limitFields.bouncePercent),
    complaintPercent: Type.Optional(limitFields.complaintPercent),
    warmUp: Type.Optional(
      Type.Unsafe<WarmUpPlan | null>({
        ...Type.Object(warmUpFields, closed),
        type: ['object', 'null'],
        description: 'Starts a warm-up, or changes it. Another `start` begins anew. `null` switches it off.',
      }),
    ),
    paused: Type.Optional(
      Type.Literal(false, { description: 'Ends a pause. What was counted before no longer counts.' }),
    ),
  },
  {
    ...named('MailSendingChanges'),
    ...closed,
    description: 'What to change. Everything else stays as it is.',
    ...withExamples({
      limits: { summary: 'Limits', value: { bouncePercent: 5, complaintPercent: 0.3 } },
      warmUp: { summary: 'Start a warm-up', value: { warmUp: { start: 50, to: 5000 } } },
      resume: { summary: 'Resume after a pause', value: { paused: false } },
    }),
  },
);

const EXAMPLE_SENDING = {
  ...{ waitlistId: 'wl_acme', since: '2026-11-08T09:30:00.000Z', sent: 1200, bounced: 18, complained: 0 },
  ...{ bounceRate: 1.5, complaintRate: 0, bouncePercent: 10, complaintPercent: 0.5 },
  ...{ paused: false, pausedAt: null, pauseReason: null, waiting: 240 },
  warmUp: { start: 50, to: 5000, today: 400, sentToday: 400, dayEndsAt: '2026-11-16T00:00:00.000Z' },
};

export const mailSending = [
  operation({
    id: 'checkMailSender',
    at: 'GET /waitlists/:waitlistId/mail/sender',
    tag,
    summary: 'Check the sender',
    description:
      'Looks up the DNS records of the sender now: SPF, DKIM, DMARC and MX. Takes up to 10 seconds if the DNS does not answer.',
    role: 'support',
    scope: 'queue',
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
    run: ({ parts, params }) => examineSender(parts, params.waitlistId),
  }),
  operation({
    id: 'getMailSending',
    at: 'GET /waitlists/:waitlistId/mail/sending',
    showsSettings: true,
    tag,
    summary: 'Get bounce rates and sending limits',
    description:
      'Returns how many emails of a waitlist were sent, bounced and were reported as spam, and whether they are paused ' +
      'because of that. Only emails of `production` are sent, so there is no other environment to choose.',
    role: 'viewer',
    scope: 'waitlist',
    answer: { description: 'How sending goes.', schema: SendingSchema, example: EXAMPLE_SENDING },
    run: ({ context, params }) => readSending(context, params.waitlistId),
  }),
  operation({
    id: 'updateMailSending',
    at: 'PATCH /waitlists/:waitlistId/mail/sending',
    settings: { lock: 'queue', besides: ({ warmUp }) => ({ warmUp: planOf(warmUp) }) },
    tag,
    summary: 'Change sending limits, or resume sending',
    description:
      'Changes the limits or the warm-up, or ends a pause. After a pause that an operator ends, counting starts anew, so ' +
      'that emails do not pause again at once. Waves that the pause paused go on.',
    role: 'admin',
    scope: 'waitlist',
    body: SendingChanges,
    answer: { description: 'How sending goes now.', schema: SendingSchema, example: EXAMPLE_SENDING },
    errors: { invalid_request: { message: 'warmUp.to: must not be below warmUp.start' } },
    run: async ({ context, params: { waitlistId }, body }) => {
      if (Object.keys(body).length > 0)
        await changeSending(context, await requireQueue(context, waitlistId), body);
      return readSending(context, waitlistId);
    },
  }),
];

async function examineSender(parts: OperationParts, waitlistId: string): Promise<Static<typeof SenderCheck>> {
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

async function readSending(context: Context, waitlistId: string): Promise<Static<typeof SendingSchema>> {
  const queue = await requireQueue(context, waitlistId);
  return presentSending(waitlistId, await showSending(context, queue));
}

/** Without what it counts. */
function planOf(warmUp: unknown): unknown {
  const { start, to } = (warmUp ?? {}) as Partial<WarmUpPlan>;
  return { start, to };
}
