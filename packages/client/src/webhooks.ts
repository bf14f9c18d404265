import type { components } from './api.ts';

export type WebhookEvent = components['schemas']['WebhookEvent'];

export type WebhookProblem =
  | 'invalid_secret'
  | 'missing_header'
  | 'invalid_timestamp'
  | 'timestamp_too_old'
  | 'timestamp_too_new'
  | 'invalid_signature'
  | 'signature_mismatch'
  | 'invalid_payload';

export class WebhookError extends Error {
  override readonly name = 'WebhookError';
  readonly reason: WebhookProblem;

  constructor(reason: WebhookProblem) {
    super(`the delivery is not authentic: ${reason}`);
    this.reason = reason;
  }
}

/** As `fetch`, Node and frameworks give them. */
export type WebhookHeaders =
  | { get(name: string): string | null | undefined }
  | Record<string, string | readonly string[] | undefined>;

export interface VerifyOptions {
  secret: string;
  /** How far the delivery's time may be from now. Default: 300 seconds. */
  toleranceSeconds?: number | undefined;
  /** In milliseconds. Default: the current time. */
  now?: number | undefined;
}

/**
 * Returns the event if the delivery was signed with the secret (Standard Webhooks), and throws a
 * `WebhookError` if not. `payload` is the body exactly as received.
 */
export async function verifyWebhook(
  payload: string | Uint8Array,
  headers: WebhookHeaders,
  { secret, toleranceSeconds = 300, now = Date.now() }: VerifyOptions,
): Promise<WebhookEvent> {
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) => headerOf(headers, name));
  if (!id || !timestamp || !signatures) throw new WebhookError('missing_header');
  const key = await importSecret(secret);
  checkTime(timestamp, toleranceSeconds, now);
  const body = typeof payload === 'string' ? new TextEncoder().encode(payload) : payload;
  const signed = concat(new TextEncoder().encode(`${id}.${timestamp}.`), body);
  const candidates = signatures.split(' ').flatMap((each) => {
    const bytes = each.startsWith('v1,') ? fromBase64(each.slice(3)) : undefined;
    return bytes ? [bytes] : [];
  });
  if (candidates.length === 0) throw new WebhookError('invalid_signature');
  // WebCrypto compares in constant time.
  const matches = await Promise.all(
    candidates.map((each) => crypto.subtle.verify('HMAC', key, each, signed)),
  );
  if (!matches.includes(true)) throw new WebhookError('signature_mismatch');
  return parseEvent(body);
}

/** Frameworks differ in the case of names. */
function headerOf(headers: WebhookHeaders, name: string): string | undefined {
  const { get } = headers;
  const find = (wanted: string) =>
    typeof get === 'function'
      ? get.call(headers, wanted)
      : Object.entries(headers).find(([each]) => each.toLowerCase() === wanted)?.[1];
  return [find(`webhook-${name}`), find(`wh-${name}`)].flat().find((value) => typeof value === 'string');
}

function importSecret(secret: string) {
  const bytes = fromBase64(secret.replace(/^whsec_/, ''));
  if (!bytes || bytes.length === 0) throw new WebhookError('invalid_secret');
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

function checkTime(timestamp: string, toleranceSeconds: number, now: number): void {
  if (!/^\d{1,12}$/.test(timestamp)) throw new WebhookError('invalid_timestamp');
  const age = Math.floor(now / 1000) - Number(timestamp);
  if (age > toleranceSeconds) throw new WebhookError('timestamp_too_old');
  if (age < -toleranceSeconds) throw new WebhookError('timestamp_too_new');
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function concat(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}

function parseEvent(body: Uint8Array): WebhookEvent {
  try {
    const event = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
    if (typeof event === 'object' && event !== null) return event;
  } catch {}
  throw new WebhookError('invalid_payload');
}
