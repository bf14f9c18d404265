import Type from 'typebox';
import { closed } from '../../../operations/core/schemas.ts';
import { changeSending, type WarmUpPlan } from '../../../waitlist/sending/change-sending.ts';
import { showSending } from '../../../waitlist/sending/read-sending.ts';
import { named, withExamples } from '../../../wire/schema.ts';
import { limitFields, presentSending, SendingSchema, warmUpFields } from '../../../wire/sending.ts';
import type { TypedApp } from '../../typed-app.ts';
import { adminSchema } from '../core/operation.ts';
import type { AdminParts } from '../core/parts.ts';
import { domainFor, requireQueue } from '../core/waitlist-scope.ts';
import { NO_WAITLIST, tag, WaitlistParams } from './scope.ts';

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

const EXAMPLE = {
  ...{ waitlistId: 'wl_acme', since: '2026-11-08T09:30:00.000Z', sent: 1200, bounced: 18, complained: 0 },
  ...{ bounceRate: 1.5, complaintRate: 0, bouncePercent: 10, complaintPercent: 0.5 },
  ...{ paused: false, pausedAt: null, pauseReason: null, waiting: 240 },
  warmUp: { start: 50, to: 5000, today: 400, sentToday: 400, dayEndsAt: '2026-11-16T00:00:00.000Z' },
};

const getSchema = adminSchema({
  operationId: 'getMailSending',
  showsSettings: true,
  tag,
  summary: 'Get bounce rates and sending limits',
  description:
    'Returns how many emails of a waitlist were sent, bounced and were reported as spam, and whether they are paused ' +
    'because of that. Only emails of `production` are sent, so there is no other environment to choose.',
  role: 'viewer',
  params: WaitlistParams,
  answer: { description: 'How sending goes.', schema: SendingSchema, example: EXAMPLE },
  errors: ['not_found'],
  special: NO_WAITLIST,
});

const changeSchema = adminSchema({
  operationId: 'updateMailSending',
  settings: { lock: 'queue', besides: ({ warmUp }) => ({ warmUp: planOf(warmUp) }) },
  tag,
  summary: 'Change sending limits, or resume sending',
  description:
    'Changes the limits or the warm-up, or ends a pause. After a pause that an operator ends, counting starts anew, so ' +
    'that emails do not pause again at once. Waves that the pause paused go on.',
  role: 'admin',
  params: WaitlistParams,
  body: SendingChanges,
  answer: { description: 'How sending goes now.', schema: SendingSchema, example: EXAMPLE },
  errors: ['not_found'],
  special: {
    ...NO_WAITLIST,
    invalid_request: { message: 'warmUp.to: must not be below warmUp.start' },
  },
});

/** Without what it counts. */
function planOf(warmUp: unknown): unknown {
  const { start, to } = (warmUp ?? {}) as Partial<WarmUpPlan>;
  return { start, to };
}

export function registerMailSending(app: TypedApp, parts: AdminParts): void {
  const path = '/waitlists/:waitlistId/mail/sending';
  app.get(path, { schema: getSchema }, async ({ params }) => {
    const queue = await requireQueue(parts, params, {});
    return presentSending(params.waitlistId, await showSending(parts.waitlists, queue));
  });

  app.patch(path, { schema: changeSchema }, async (request) => {
    const { params, body } = request;
    const queue = await requireQueue(parts, params, {});
    await changeSending(domainFor(parts, request), queue, body);
    return presentSending(params.waitlistId, await showSending(parts.waitlists, queue));
  });
}
