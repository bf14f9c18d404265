import Type, { type Static } from 'typebox';
import { sendTestAlert } from '../../installation/health-alerts.ts';
import { conflict } from '../../lib/errors.ts';
import { isoTime } from '../../lib/time.ts';
import { NO_MAIL_SERVER } from '../../mail/mailable.ts';
import { type AlertSettings, type CheckedUrl, readAlerts, updateAlerts } from '../../operators/alerts.ts';
import { readLastAttempt } from '../../outbox/read-deliveries.ts';
import { ALERT_TARGET } from '../../webhooks/alert-channel.ts';
import { type Guard, RefusedTarget } from '../../webhooks/guard.ts';
import { limits, named, nullable, time, URL_CHARACTERS_MAX, withExamples } from '../../wire/schema.ts';
import { operation } from '../core/operation.ts';
import type { OperationParts } from '../core/parts.ts';
import { closed, Done } from '../core/schemas.ts';

const tag = 'Instance';

const settings = {
  emails: Type.Boolean({ description: 'Whether owners and admins get an email.' }),
  webhookUrl: nullable<string>('string', {
    ...limits({ maxLength: URL_CHARACTERS_MAX }),
    description: 'Where to post alerts to, as it is called. `null`: nowhere.',
    examples: ['https://hooks.slack.com/services/T000/B000/XXXX'],
  }),
};

const LastAttempt = Type.Object(
  {
    at: time('When the last alert was posted.'),
    error: nullable<string>('string', { description: 'Why it failed. `null`: it arrived.' }),
  },
  { ...named('AlertAttempt'), description: 'What became of the last alert.' },
);

const Alerts = Type.Object(
  {
    ...settings,
    mailServer: Type.Boolean({
      description:
        'Whether there is a mail server. `false`: emails to operators are kept, and nobody gets one.',
    }),
    lastAttempt: Type.Union([LastAttempt, Type.Null()], {
      description: 'The last post to `webhookUrl`. `null` if there was none.',
    }),
  },
  {
    ...named('Alerts'),
    description: 'Who is told when a check of the health becomes a problem, and when it is well again.',
  },
);

const EXAMPLE: Static<typeof Alerts> = {
  emails: true,
  webhookUrl: 'https://hooks.slack.com/services/T000/B000/XXXX',
  mailServer: true,
  lastAttempt: { at: '2026-11-15T09:30:00.000Z', error: null },
};

const AlertsUpdate = Type.Object(Type.Partial(Type.Object(settings)).properties, {
  ...named('AlertsUpdate'),
  ...closed,
  description: 'Settings to change.',
  ...withExamples({ emails: { summary: 'Emails only', value: { emails: true, webhookUrl: null } } }),
});

export const alerts = [
  operation({
    id: 'getAlerts',
    showsSettings: true,
    at: 'GET /health/alerts',
    tag,
    summary: 'Get the alerts',
    description: 'Returns who is told about problems of the installation.',
    role: 'admin',
    scope: 'installation',
    answer: { description: 'The alerts.', schema: Alerts, example: EXAMPLE },
    run: async ({ parts }) => present(parts, await readAlerts(parts.context)),
  }),
  operation({
    id: 'updateAlerts',
    settings: { lock: 'installation' },
    at: 'PATCH /health/alerts',
    tag,
    summary: 'Update the alerts',
    description:
      'Changes who is told when a check has been a problem for two minutes, and when it has been well again for ten. A post has ' +
      '`event`, `id`, `timestamp`, `text`, `url` and `data` with `failing` and `recovered`. It is not signed.',
    role: 'admin',
    scope: 'installation',
    body: AlertsUpdate,
    answer: { description: 'The alerts.', schema: Alerts, example: EXAMPLE },
    errors: { invalid_request: { message: 'webhookUrl: must start with https://' } },
    run: async ({ context, parts, body }) => {
      const checkUrl = (typed: string) => check(parts.guard, typed);
      return present(parts, await updateAlerts(context, parts.context, body, checkUrl));
    },
  }),
  operation({
    id: 'testAlerts',
    at: 'POST /health/alerts/test',
    tag,
    summary: 'Send a test alert',
    description: 'Sends an alert that says that it is a test.',
    role: 'admin',
    scope: 'installation',
    answer: { status: 202, description: 'It is on its way.', schema: Done, example: { success: true } },
    errors: {
      conflict: {
        when: 'Nobody gets alerts, or only by email and there is no mail server.',
        message: 'nobody gets alerts yet',
      },
    },
    run: async ({ parts }) => {
      const { emails, webhookUrl } = await readAlerts(parts.context);
      if (!emails && webhookUrl === null) throw conflict('nobody gets alerts yet');
      if (webhookUrl === null && !parts.emails.smtp) throw conflict(NO_MAIL_SERVER);
      await sendTestAlert(parts.waitlists, parts.context, { publicUrl: parts.publicUrl });
      return { success: true as const };
    },
  }),
];

async function present(
  { context, emails: { smtp: mailServer } }: OperationParts,
  { emails, webhookUrl }: AlertSettings,
): Promise<Static<typeof Alerts>> {
  const last = webhookUrl === null ? undefined : await readLastAttempt(context.db, ALERT_TARGET);
  const lastAttempt = last ? { at: isoTime(last.at), error: last.error } : null;
  return { emails, webhookUrl, mailServer, lastAttempt };
}

async function check(guard: Guard, typed: string): Promise<CheckedUrl> {
  try {
    return { url: await guard.checkTarget(typed) };
  } catch (error) {
    if (error instanceof RefusedTarget) return { reason: error.message };
    throw error;
  }
}
