import { createHmac, createPublicKey, timingSafeEqual, verify } from 'node:crypto';
import { HOUR_MS } from '../../lib/time.ts';
import type { MailEvent } from '../../waitlist/mail-events/record-mail-events.ts';
import { at, isStandardWebhook, type SignedRequest } from '../signed-request.ts';
import { about, listOf, type Shape } from './shape.ts';
import type { OpenSns } from './sns.ts';

export const SHAPE_NAMES = ['plain', 'ses', 'postmark', 'resend', 'mailgun', 'sendgrid'] as const;
export type ProviderName = Exclude<(typeof SHAPE_NAMES)[number], 'plain'>;

export function providerShapes(openSns: OpenSns): Record<ProviderName, Shape> {
  return { ses: { unwrap: openSns, read: readSes }, postmark, resend, mailgun, sendgrid };
}

/**
 * A notification, or an event of a configuration set, which has the same content under another name.
 * https://docs.aws.amazon.com/ses/latest/dg/notification-contents.html
 */
function readSes(message: unknown): MailEvent[] {
  const kind = at(message, 'notificationType') ?? at(message, 'eventType');
  const recipients = (of: string, list: string) =>
    listOf(at(message, of, list)).map((recipient) => at(recipient, 'emailAddress'));
  if (kind === 'Bounce') {
    const permanent = at(message, 'bounce', 'bounceType') === 'Permanent';
    return recipients('bounce', 'bouncedRecipients').flatMap((email) => about('bounce', email, permanent));
  }
  // `not-spam` takes a complaint back.
  if (kind === 'Complaint' && at(message, 'complaint', 'complaintFeedbackType') !== 'not-spam')
    return recipients('complaint', 'complainedRecipients').flatMap((email) => about('complaint', email));
  return [];
}

/** https://postmarkapp.com/developer/api/bounce-api has the types. Others, such as `AutoResponder`, say nothing. */
const POSTMARK_HARD = ['HardBounce', 'BadEmailAddress'];
const POSTMARK_SOFT = ['SoftBounce', 'Transient', 'DnsError', 'Blocked', 'SpamNotification'];

/** https://postmarkapp.com/developer/webhooks/bounce-webhook */
const postmark: Shape = {
  read: (body) => {
    const [record, type, email] = ['RecordType', 'Type', 'Email'].map((name) => at(body, name));
    if (typeof record !== 'string') return undefined;
    if (record === 'SpamComplaint' || (record === 'Bounce' && type === 'SpamComplaint'))
      return about('complaint', email);
    if (record !== 'Bounce' || typeof type !== 'string') return [];
    if (POSTMARK_HARD.includes(type)) return about('bounce', email, true);
    return POSTMARK_SOFT.includes(type) ? about('bounce', email, false) : [];
  },
};

/** https://resend.com/docs/webhooks/emails/bounced */
const resend: Shape = {
  read: (body) => {
    const type = at(body, 'type');
    if (typeof type !== 'string') return undefined;
    const recipients = listOf(at(body, 'data', 'to'));
    if (type === 'email.complained') return recipients.flatMap((email) => about('complaint', email));
    if (type !== 'email.bounced') return [];
    const kind = at(body, 'data', 'bounce', 'type');
    const permanent = kind !== 'Transient' && kind !== 'Undetermined';
    return recipients.flatMap((email) => about('bounce', email, permanent));
  },
  isGenuine: (request, secret, now) => isStandardWebhook(request, secret, now, 'svix'),
};

/** https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/webhook-payloads */
const mailgun: Shape = {
  read: (body) => {
    const [event, email, severity, reason] = ['event', 'recipient', 'severity', 'reason'].map((name) =>
      at(body, 'event-data', name),
    );
    if (typeof event !== 'string') return undefined;
    if (event === 'complained') return about('complaint', email);
    if (event !== 'failed') return [];
    // Mailgun did not try, because of what it knew before.
    if (reason === 'suppress-unsubscribe') return [];
    if (reason === 'suppress-complaint') return about('complaint', email);
    // `old`: Mailgun has tried for hours. The server was away, which says nothing about the address.
    return about('bounce', email, severity !== 'temporary' && reason !== 'old');
  },
  isGenuine: isMailgunWebhook,
};

/** https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/event */
const sendgrid: Shape = {
  read: (body) => (Array.isArray(body) ? body.flatMap(readSendgridEvent) : undefined),
  isGenuine: isSendgridWebhook,
};

/** Why SendGrid drops an email to an address that it knows. Other reasons are not the address's fault. */
const SENDGRID_DROPPED: Record<string, MailEvent['type']> = {
  'Bounced Address': 'bounce',
  Invalid: 'bounce',
  'Spam Reporting Address': 'complaint',
};

function readSendgridEvent(each: unknown): MailEvent[] {
  const [event, email, type, reason] = ['event', 'email', 'type', 'reason'].map((name) => at(each, name));
  if (event === 'spamreport') return about('complaint', email);
  if (event === 'bounce') return about('bounce', email, type !== 'blocked');
  if (event === 'deferred') return about('bounce', email, false);
  if (event !== 'dropped' || typeof reason !== 'string' || !Object.hasOwn(SENDGRID_DROPPED, reason))
    return [];
  return about(SENDGRID_DROPPED[reason] ?? 'bounce', email);
}

/** Mailgun repeats a report for 8 hours and SendGrid for 24, and neither says that it signs it anew. */
const TOLERANCE_MS = 25 * HOUR_MS;

function isRecent(seconds: unknown, now: number): boolean {
  return /^\d{1,12}$/.test(String(seconds)) && Math.abs(now - Number(seconds) * 1000) <= TOLERANCE_MS;
}

/** https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/securing-webhooks */
function isMailgunWebhook({ body }: SignedRequest, secret: string, now: number): boolean {
  const signed: unknown = JSON.parse(body.toString('utf8'));
  const [timestamp, token, signature] = ['timestamp', 'token', 'signature'].map((name) =>
    at(signed, 'signature', name),
  );
  if (!isRecent(timestamp, now) || typeof token !== 'string' || typeof signature !== 'string') return false;
  const expected = createHmac('sha256', secret).update(`${timestamp}${token}`).digest();
  const given = Buffer.from(signature, 'hex');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

const SENDGRID_HEADER = 'x-twilio-email-event-webhook-';

/** https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/getting-started-event-webhook-security-features */
function isSendgridWebhook({ headers, body }: SignedRequest, publicKey: string, now: number): boolean {
  const timestamp = headers[`${SENDGRID_HEADER}timestamp`];
  const signature = headers[`${SENDGRID_HEADER}signature`];
  if (!isRecent(timestamp, now) || typeof timestamp !== 'string' || typeof signature !== 'string')
    return false;
  try {
    const key = createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' });
    const signed = Buffer.concat([Buffer.from(timestamp), body]);
    return verify('sha256', signed, key, Buffer.from(signature, 'base64'));
  } catch {
    return false; // Not a key, or not a signature.
  }
}
