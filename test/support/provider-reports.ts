/** What mail providers send, after the examples in their documentation. */

/** https://docs.aws.amazon.com/ses/latest/dg/notification-examples.html */
export const sesBounce = (emailAddress: string, bounceType = 'Permanent') => ({
  notificationType: 'Bounce',
  bounce: {
    bounceType,
    reportingMTA: 'dns; email.example.com',
    bouncedRecipients: [
      {
        emailAddress,
        status: '5.1.1',
        action: 'failed',
        diagnosticCode: 'smtp; 550 5.1.1 <jane@example.com>... User',
      },
    ],
    bounceSubType: 'General',
    timestamp: '2016-01-27T14:59:38.237Z',
    feedbackId: '00000138111222aa-33322211-cccc-cccc-cccc-ddddaaaa068a-000000',
    remoteMtaIp: '127.0.2.0',
  },
  mail: {
    timestamp: '2016-01-27T14:59:38.237Z',
    source: 'john@example.com',
    messageId: '00000138111222aa-33322211-cccc-cccc-cccc-ddddaaaa0680-000000',
    destination: [emailAddress, 'mary@example.com'],
  },
});

export const sesComplaint = (emailAddress: string, complaintFeedbackType = 'abuse') => ({
  notificationType: 'Complaint',
  complaint: {
    userAgent: 'AnyCompany Feedback Loop (V0.01)',
    complainedRecipients: [{ emailAddress }],
    complaintFeedbackType,
    arrivalDate: '2016-01-27T14:59:38.237Z',
    timestamp: '2016-01-27T14:59:38.237Z',
    feedbackId: '000001378603177f-18c07c78-fa81-4a58-9dd1-fedc3cb8f49a-000000',
  },
  mail: { source: 'john@example.com', destination: [emailAddress] },
});

/** https://docs.aws.amazon.com/sns/latest/dg/sns-message-and-json-formats.html, without id, time and signature. */
export const snsMessage = (Type: string, fields: Record<string, string>): Record<string, string> => ({
  Type,
  TopicArn: 'arn:aws:sns:us-west-2:123456789012:MyTopic',
  Message: 'You have chosen to subscribe to the topic.\nTo confirm, visit the SubscribeURL.',
  ...fields,
});

/** https://postmarkapp.com/developer/webhooks/bounce-webhook. As text, because of the large number. */
export const postmarkBounce = (email: string, type = 'HardBounce') =>
  `{"RecordType":"Bounce","MessageStream":"outbound","ID":4323372036854775807,"Type":"${type}","TypeCode":1,
    "Name":"Hard bounce","Tag":"Test","MessageID":"883953f4-6105-42a2-a16a-77a8eac79483","ServerID":23,
    "Description":"The server was unable to deliver your message (ex: unknown user, mailbox not found).",
    "Details":"Test bounce details","Email":"${email}","From":"sender@example.com",
    "BouncedAt":"2019-11-05T16:33:54.9070259Z","DumpAvailable":true,"Inactive":true,"CanActivate":true}`;

export const postmarkComplaint = (email: string) =>
  postmarkBounce(email, 'SpamComplaint').replace('"RecordType":"Bounce"', '"RecordType":"SpamComplaint"');

/** https://resend.com/docs/webhooks/emails/bounced */
export const resendEvent = (type: string, email: string, bounceType = 'Permanent') => ({
  type,
  created_at: '2024-11-22T23:41:12.126Z',
  data: {
    created_at: '2024-11-22T23:41:11.894719+00:00',
    email_id: '56761188-7520-42d8-8898-ff6fc54ce618',
    from: 'Acme <onboarding@resend.dev>',
    to: [email],
    subject: 'Sending this example',
    ...(type === 'email.bounced'
      ? {
          bounce: {
            message: 'The address is on the suppression list.',
            subType: 'Suppressed',
            type: bounceType,
          },
        }
      : {}),
  },
});

/** https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/webhook-payloads */
export const mailgunEvent = (event: string, recipient: string, more: object = {}) => ({
  id: 'CCXMjJ7nQi2N3BPigGOdgQ',
  timestamp: 1521472262.908181,
  'log-level': 'error',
  event,
  recipient,
  message: { headers: { 'message-id': '20260203192638.000be97f99f8cea1@sample.mailgun.com' }, size: 341 },
  flags: { 'is-authenticated': true, 'is-test-mode': false },
  ...more,
});

/** https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/event: bounces of sg1 to sg4, one of each kind. */
export const sendgridEvents = () =>
  [
    { email: 'sg5@example.com', event: 'processed' },
    { email: 'sg4@example.com', event: 'deferred', response: '400 try again later', attempt: '5' },
    { email: 'sg5@example.com', event: 'delivered', response: '250 OK' },
    {
      email: 'sg1@example.com',
      event: 'bounce',
      type: 'bounce',
      reason: '500 unknown recipient',
      status: '5.0.0',
    },
    { email: 'sg4@example.com', event: 'bounce', type: 'blocked', reason: '550 spam', status: '5.7.1' },
    { email: 'sg2@example.com', event: 'dropped', reason: 'Bounced Address', status: '5.0.0' },
    { email: 'sg3@example.com', event: 'spamreport' },
    { email: 'sg3@example.com', event: 'dropped', reason: 'Spam Reporting Address' },
    { email: 'sg5@example.com', event: 'dropped', reason: 'Unsubscribed Address' },
    { email: 'sg5@example.com', event: 'unsubscribe' },
  ].map((event) => ({
    timestamp: 1513299569,
    'smtp-id': '<14c5d75ce93.dfd.64b469@ismtpd-555>',
    category: 'cat facts',
    sg_event_id: 'sg_event_id',
    sg_message_id: 'sg_message_id',
    ...event,
  }));
