import Type from 'typebox';
import { named, oneOf, type ProviderBody } from '../../wire/schema.ts';

/** Of a report. */
export const BODY_BYTES_MAX = 1024 * 1024;
export const EVENTS_MAX = 1_000;
/** No text is longer than the body. */
const LIMIT = { maxLength: BODY_BYTES_MAX };
const text = Type.String(LIMIT);

/** What is read of the reports of providers. They hold more. */
const SnsMessage = Type.Object(
  {
    Type: oneOf(['Notification', 'SubscriptionConfirmation', 'UnsubscribeConfirmation']),
    MessageId: text,
    TopicArn: text,
    Message: Type.String({ ...LIMIT, description: 'A notification of Amazon SES, as JSON.' }),
    Timestamp: text,
    SignatureVersion: oneOf(['1', '2']),
    Signature: text,
    SigningCertURL: text,
    Subject: Type.Optional(text),
    SubscribeURL: Type.Optional(text),
    Token: Type.Optional(text),
  },
  {
    ...named('SnsMessage'),
    description: 'A message of Amazon SNS, without raw message delivery. It may come as `text/plain`.',
  },
);

const PostmarkReport = Type.Object(
  { RecordType: text, Type: Type.Optional(text), Email: Type.Optional(text) },
  { ...named('PostmarkReport'), description: 'A webhook of Postmark.' },
);

const ResendReport = Type.Object(
  {
    type: text,
    data: Type.Object({
      to: Type.Array(text, { maxItems: EVENTS_MAX }),
      bounce: Type.Optional(Type.Object({ type: text })),
    }),
  },
  { ...named('ResendReport'), description: 'A webhook of Resend.' },
);

const MailgunReport = Type.Object(
  {
    signature: Type.Object({ timestamp: text, token: text, signature: text }),
    'event-data': Type.Object({
      event: text,
      recipient: Type.Optional(text),
      severity: Type.Optional(text),
      reason: Type.Optional(text),
    }),
  },
  { ...named('MailgunReport'), description: 'A webhook of Mailgun.' },
);

const SendgridReport = Type.Array(
  Type.Object({
    event: text,
    email: Type.Optional(text),
    type: Type.Optional(text),
    reason: Type.Optional(text),
  }),
  {
    ...named('SendgridReport'),
    maxItems: EVENTS_MAX,
    description: 'A batch of the event webhook of SendGrid.',
  },
);

const EMAIL = 'ada@example.com';

export const PROVIDER_REPORTS: Record<string, ProviderBody> = {
  ses: {
    schema: SnsMessage,
    summary: 'Amazon SES, through Amazon SNS',
    value: {
      Type: 'Notification',
      MessageId: '22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324',
      TopicArn: 'arn:aws:sns:us-east-1:123456789012:bounces',
      Message: JSON.stringify({
        notificationType: 'Bounce',
        bounce: { bounceType: 'Permanent', bouncedRecipients: [{ emailAddress: EMAIL }] },
      }),
      Timestamp: '2026-11-15T09:30:00.000Z',
      SignatureVersion: '2',
      Signature: 'EXAMPLE',
      SigningCertURL:
        'https://sns.us-east-1.amazonaws.com/SimpleNotificationService-0123456789abcdef0123456789abcdef.pem',
    },
  },
  postmark: {
    schema: PostmarkReport,
    summary: 'Postmark',
    value: { RecordType: 'Bounce', Type: 'HardBounce', Email: EMAIL },
  },
  resend: {
    schema: ResendReport,
    summary: 'Resend',
    value: { type: 'email.bounced', data: { to: [EMAIL], bounce: { type: 'Permanent' } } },
  },
  mailgun: {
    schema: MailgunReport,
    summary: 'Mailgun',
    value: {
      signature: {
        timestamp: '1794735000',
        token: 'a8ce0edb2dd8301dee6c2405235584e45aa91d1e9f979f3de0',
        signature: 'd2271d12299f6592d9d44cd9d250f0704e4674c30d79d07c47a66f95ce71cf55',
      },
      'event-data': { event: 'failed', severity: 'permanent', recipient: EMAIL },
    },
  },
  sendgrid: {
    schema: SendgridReport,
    summary: 'SendGrid',
    value: [{ event: 'bounce', type: 'bounce', email: EMAIL }],
  },
};
