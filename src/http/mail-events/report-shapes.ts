import { createHash, createHmac, timingSafeEqual, verify } from 'node:crypto';
import { DAY_MS } from '../../lib/time.ts';
import { type MailProvider, publicKeyOf } from '../../waitlist/mail-events/providers.ts';
import type { MailEvent } from '../../waitlist/mail-events/record-mail-events.ts';
import { at, isStandardWebhook, type SignedRequest } from '../signed-request.ts';
import { about, isRecent, listOf, type Shape } from './report-shape.ts';
import type { OpenSns } from './sns.ts';

export function providerShapes(openSns: OpenSns): Record<Exclude<MailProvider, 'plain'>, Shape> {
  return { ses: { open: openSns, read: readSes }, postmark, resend, mailgun, sendgrid };
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
  verify: (request, secret, now) =>
    isStandardWebhook(request, secret, now, 'svix') ? String(request.headers['svix-id']) : undefined,
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
  verify: verifyMailgun,
};

/** https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/event */
const sendgrid: Shape = {
  read: (body) => (Array.isArray(body) ? body.flatMap(readSendgridEvent) : undefined),
  verify: verifySendgrid,
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

/** Mailgun repeats a report for 8 hours, and does not say that it signs it anew. */
const MAILGUN_OLDEST_MS = DAY_MS;

function timeOf(seconds: unknown): number {
  return /^\d{1,12}$/.test(String(seconds)) ? Number(seconds) * 1000 : Number.NaN;
}

/**
 * Only a time and a token are signed, not what is reported: the token counts once.
 * https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/securing-webhooks
 */
function verifyMailgun({ body }: SignedRequest, secret: string, now: number): string | undefined {
  const signed: unknown = JSON.parse(body.toString('utf8'));
  const [timestamp, token, signature] = ['timestamp', 'token', 'signature'].map((name) =>
    at(signed, 'signature', name),
  );
  if (!isRecent(timeOf(timestamp), now, MAILGUN_OLDEST_MS)) return undefined;
  if (typeof token !== 'string' || typeof signature !== 'string') return undefined;
  const expected = createHmac('sha256', secret).update(`${timestamp}${token}`).digest();
  const given = Buffer.from(signature, 'hex');
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  return `${timestamp}${token}`;
}

const SENDGRID_HEADER = 'x-twilio-email-event-webhook-';

/** https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/getting-started-event-webhook-security-features */
function verifySendgrid(
  { headers, body }: SignedRequest,
  publicKey: string,
  now: number,
): string | undefined {
  const timestamp = headers[`${SENDGRID_HEADER}timestamp`];
  const signature = headers[`${SENDGRID_HEADER}signature`];
  if (typeof timestamp !== 'string' || typeof signature !== 'string') return undefined;
  if (!isRecent(timeOf(timestamp), now)) return undefined;
  try {
    const signed = Buffer.concat([Buffer.from(timestamp), body]);
    const isGenuine = verify('sha256', signed, publicKeyOf(publicKey), Buffer.from(signature, 'base64'));
    // Not the signature: there are two for the same report.
    return isGenuine ? createHash('sha256').update(signed).digest('base64') : undefined;
  } catch {
    return undefined; // Not a key, or not a signature.
  }
}
