import { MailWarning } from 'lucide-react';
import { api, call, type Schemas } from '../../api/client.ts';
import { BASE_URL } from '../../base-path.ts';
import type { HookKind } from '../keys/hook-keys.ts';

const PATH = '/admin/v1/waitlists/{waitlistId}/mail-event-keys';
const KEY_PATH = '/admin/v1/waitlists/{waitlistId}/mail-event-keys/{mailEventKeyId}';

export const MAIL_EVENT_KEYS: HookKind = {
  start: 'dle_',
  called: 'mail event key',
  title: 'Bounces and complaints',
  about: 'Your mail provider reports emails that came back or were marked as spam, with a mail event key.',
  icon: <MailWarning aria-hidden />,
  worksWith: 'Works with Amazon SES, Postmark, Resend, Mailgun, SendGrid and your own code.',
  createAbout: ({ waitlistId, environment }) =>
    `Reports bounces and complaints for ${waitlistId} in ${environment}. It can do nothing else.`,
  namePlaceholder: 'Resend',
  urlTitle: 'Copy your URL for mail events',
  who: 'Who reports',
  callers: [
    { value: 'plain', label: 'My own code', signs: false },
    { value: 'ses', label: 'Amazon SES', signs: false },
    { value: 'postmark', label: 'Postmark', signs: false },
    { value: 'resend', label: 'Resend', signs: true },
    { value: 'mailgun', label: 'Mailgun', signs: true },
    { value: 'sendgrid', label: 'SendGrid', signs: true },
  ],
  callerOf: (key) => (key as Schemas['MailEventKey']).provider,
  urlOf: (key) => `${BASE_URL}/mail-events/v1/${key}`,
  guide: 'emails#bounces-and-complaints',
  secretAbout:
    'Resend, Mailgun and SendGrid sign their reports. With their secret, or SendGrid’s verification key, the key takes only signed reports, each of them once.',
  secretPlaceholder: 'whsec_…',
  deleteAbout: ({ environment }) =>
    `Where this key is used, bounces and complaints in ${environment} are refused. This cannot be undone.`,
  queryKey: 'mail-event-keys',
  list: async ({ waitlistId, environment }) =>
    (await call(api.GET(PATH, { params: { path: { waitlistId }, query: { environment } } }))).mailEventKeys,
  create: ({ waitlistId, environment }, name, caller) => {
    const provider = caller as Schemas['MailEventKeyRequest']['provider'];
    const body = { name, provider };
    return call(api.POST(PATH, { params: { path: { waitlistId }, query: { environment } }, body }));
  },
  setSecret: ({ waitlistId, environment }, mailEventKeyId, secret) =>
    call(
      api.PATCH(KEY_PATH, {
        params: { path: { waitlistId, mailEventKeyId }, query: { environment } },
        body: { secret },
      }),
    ),
  topic: {
    of: (key) => {
      const { provider, topic } = key as Schemas['MailEventKey'];
      return provider === 'ses' ? topic : undefined;
    },
    set: ({ waitlistId, environment }, mailEventKeyId, topic) =>
      call(
        api.PATCH(KEY_PATH, {
          params: { path: { waitlistId, mailEventKeyId }, query: { environment } },
          body: { topic },
        }),
      ),
  },
  remove: ({ waitlistId, environment }, mailEventKeyId) =>
    call(api.DELETE(KEY_PATH, { params: { path: { waitlistId, mailEventKeyId }, query: { environment } } })),
};
