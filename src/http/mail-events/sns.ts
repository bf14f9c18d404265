import { verify } from 'node:crypto';
import { DoorlistError, invalid, unavailable } from '../../lib/errors.ts';
import { otherTopic } from '../../waitlist/mail-events/mail-event-keys.ts';
import { hostOfTopic } from '../../waitlist/mail-events/providers.ts';
import type { Get } from '../../webhooks/requests.ts';
import { at } from '../signed-request.ts';
import { type TrustedCertificate, trustedCertificate, Untrusted } from './certificate-chain.ts';
import { type Expected, isRecent, type Opened } from './report-shape.ts';

const CERTIFICATE_PATH = /^\/SimpleNotificationService-[0-9a-f]{1,64}\.pem$/;
/** What Amazon SNS signs as: one name for most regions, others for the rest. */
const SIGNER = /^sns(-signing\.[a-z0-9-]{3,32}|-[a-z0-9-]{3,32})?\.amazonaws\.com(\.cn)?$/;
/** Amazon has one for each region, and replaces it about once a year. */
const MOST_CERTIFICATES = 100;

const CONFIRMATION = ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'];
/** What is signed, in this order. https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html */
const SIGNED: Record<string, string[]> = {
  Notification: ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'],
  SubscriptionConfirmation: CONFIRMATION,
  UnsubscribeConfirmation: CONFIRMATION,
};
const DIGESTS: Record<string, string> = { 1: 'sha1', 2: 'sha256' };

export type OpenSns = (body: unknown, expected: Expected) => Promise<Opened>;

/** Opens messages of Amazon SNS: only genuine ones of the right topic. Confirms the subscription with the first of them. */
export function snsOpener(get: Get, roots?: readonly string[]): OpenSns {
  const certificates = new Map<string, TrustedCertificate>();

  const certificateAt = async (url: URL): Promise<TrustedCertificate> => {
    const known = certificates.get(url.href);
    if (known) return known;
    const text = (await fetched(get, url)).toString('utf8');
    const certificate = await trustedCertificate(text, {
      isNamed: (name) => SIGNER.test(name),
      get: (issuer) => fetched(get, issuer),
      roots,
    }).catch((error: Error) => {
      if (error instanceof Untrusted) throw notGenuine(`its certificate ${error.message}`);
      throw error;
    });
    if (certificates.size >= MOST_CERTIFICATES) certificates.clear();
    certificates.set(url.href, certificate);
    return certificate;
  };

  return async (body, { topic: wanted, learns, now }) => {
    const type = textAt(body, 'Type') ?? '';
    const fields = Object.hasOwn(SIGNED, type) ? SIGNED[type] : undefined;
    if (!fields) throw invalid('body: is not a message of Amazon SNS; turn off raw message delivery');
    const topic = textAt(body, 'TopicArn') ?? '';
    const host = hostOfTopic(topic);
    const url = host === undefined ? undefined : urlOn(host, textAt(body, 'SigningCertURL'));
    const digest = DIGESTS[textAt(body, 'SignatureVersion') ?? ''];
    const isCertificate = url && url.search === '' && url.hash === '' && CERTIFICATE_PATH.test(url.pathname);
    if (host === undefined || !isCertificate || digest === undefined) throw notGenuine();
    if (wanted !== null && topic !== wanted) throw otherTopic();
    if (!isRecent(Date.parse(textAt(body, 'Timestamp') ?? ''), now))
      throw notGenuine('it is more than an hour old');
    const { leaf, from, until } = await certificateAt(url);
    if (now < from || now > until) throw notGenuine('its certificate is not valid today');
    const signed = fields.flatMap((name) => {
      const value = textAt(body, name);
      return value === undefined ? [] : [`${name}\n${value}\n`];
    });
    const signature = Buffer.from(textAt(body, 'Signature') ?? '', 'base64');
    if (!verify(digest, Buffer.from(signed.join('')), leaf.publicKey, signature)) throw notGenuine();
    const about = { topic, name: textAt(body, 'MessageId') ?? '' };
    if (type === 'Notification') {
      if (wanted === null && !learns)
        throw new DoorlistError('unauthorized', 'no subscription to this topic was confirmed here');
      return { ...about, content: published(textAt(body, 'Message') ?? '') };
    }
    if (type === 'SubscriptionConfirmation') {
      const confirm = urlOn(host, textAt(body, 'SubscribeURL'));
      if (!confirm) throw notGenuine();
      await fetched(get, confirm);
      return { ...about, content: null };
    }
    return { name: about.name, content: null };
  };
}

/** Amazon SES publishes JSON, and a sentence when the topic is set up. */
function published(message: string): unknown {
  try {
    return JSON.parse(message);
  } catch {
    return null;
  }
}

function textAt(body: unknown, name: string): string | undefined {
  const value = at(body, name);
  return typeof value === 'string' ? value : undefined;
}

/** Over TLS, without port, name or password. */
function urlOn(host: string, text = ''): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url && url.origin === `https://${host}` && url.username === '' && url.password === ''
    ? url
    : undefined;
}

async function fetched(get: Get, url: URL): Promise<Buffer> {
  try {
    return await get(url);
  } catch (error) {
    throw unavailable(`could not reach ${url.hostname}: ${(error as Error).message}`);
  }
}

function notGenuine(why?: string): DoorlistError {
  const about = why === undefined ? '' : `: ${why}`;
  return new DoorlistError('unauthorized', `this is no genuine message of Amazon SNS${about}`);
}
