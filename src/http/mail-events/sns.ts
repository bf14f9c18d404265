import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { DoorlistError, invalid, unavailable } from '../../lib/errors.ts';
import type { GetText } from '../../webhooks/get.ts';
import { at } from '../signed-request.ts';

/** Only Amazon has names here. */
const HOST = /^sns\.[a-z0-9-]{3,32}\.amazonaws\.com(\.cn)?$/;
const CERTIFICATE_PATH = /^\/SimpleNotificationService-[0-9a-f]{1,64}\.pem$/;
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

/** Returns what a service published, or null if the message is about the subscription itself. */
export type OpenSns = (body: unknown) => Promise<unknown>;

/** Opens messages of Amazon SNS. Only genuine ones, and confirms the subscription with the first of them. */
export function snsOpener(getText: GetText): OpenSns {
  const keys = new Map<string, KeyObject>();

  const keyAt = async (url: URL): Promise<KeyObject> => {
    const known = keys.get(url.href);
    if (known) return known;
    const key = publicKeyOf(await fetched(getText, url));
    if (keys.size >= MOST_CERTIFICATES) keys.clear();
    keys.set(url.href, key);
    return key;
  };

  return async (body) => {
    const type = textAt(body, 'Type');
    const fields = type !== undefined && Object.hasOwn(SIGNED, type) ? SIGNED[type] : undefined;
    if (!fields) throw invalid('body: is not a message of Amazon SNS; turn off raw message delivery');
    const certificate = amazonUrl(body, 'SigningCertURL');
    const digest = DIGESTS[textAt(body, 'SignatureVersion') ?? ''];
    if (!certificate || !CERTIFICATE_PATH.test(certificate.pathname) || digest === undefined)
      throw notGenuine();
    const signed = fields.flatMap((name) => {
      const value = textAt(body, name);
      return value === undefined ? [] : [`${name}\n${value}\n`];
    });
    const signature = Buffer.from(textAt(body, 'Signature') ?? '', 'base64');
    if (!verify(digest, Buffer.from(signed.join('')), await keyAt(certificate), signature))
      throw notGenuine();
    if (type === 'Notification') return published(textAt(body, 'Message') ?? '');
    if (type === 'SubscriptionConfirmation') {
      const url = amazonUrl(body, 'SubscribeURL');
      if (!url) throw notGenuine();
      await fetched(getText, url);
    }
    return null;
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

function publicKeyOf(certificate: string): KeyObject {
  try {
    return createPublicKey(certificate);
  } catch {
    throw unavailable('Amazon SNS did not answer with a certificate');
  }
}

function textAt(body: unknown, name: string): string | undefined {
  const value = at(body, name);
  return typeof value === 'string' ? value : undefined;
}

function amazonUrl(body: unknown, name: string): URL | undefined {
  const text = textAt(body, name) ?? '';
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isAmazons = url?.protocol === 'https:' && url.port === '' && HOST.test(url.hostname);
  return isAmazons && url.username === '' && url.password === '' ? url : undefined;
}

async function fetched(getText: GetText, url: URL): Promise<string> {
  try {
    return await getText(url);
  } catch (error) {
    throw unavailable(`could not reach ${url.hostname}: ${(error as Error).message}`);
  }
}

function notGenuine(): DoorlistError {
  return new DoorlistError('unauthorized', 'the signature of Amazon SNS is wrong');
}
