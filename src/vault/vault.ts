import { randomBytes } from '../lib/ids.ts';
import { deriveKey, KEY_BYTES, keyedHash, openText, seal, sealingKey, Unreadable } from './crypto.ts';

/** Seals values for a place and a row, and hashes them for a purpose. */
export interface Vault<Place extends string, Purpose extends string> {
  seal(place: Place, row: Uint8Array, value: unknown): Buffer;
  /** Throws `Unreadable`. */
  open<T>(place: Place, row: Uint8Array, sealed: Uint8Array): T;
  hash(purpose: Purpose, value: string): Buffer;
}

/** The two keys of a vault in the order in which the master key wraps them: data key, then index key. */
export function newVaultKeys(): Buffer {
  return randomBytes(2 * KEY_BYTES);
}

function createVault<Place extends string, Purpose extends string>(
  tag: string,
  keys: Buffer,
  places: readonly Place[],
  purposes: readonly Purpose[],
): Vault<Place, Purpose> {
  const data = sealingKey(keys.subarray(0, KEY_BYTES));
  const index = keys.subarray(KEY_BYTES);
  const prefixes = new Map(places.map((place) => [place, Buffer.from(`${tag}\0${place}\0`)]));
  const hashKeys = new Map(purposes.map((purpose) => [purpose, deriveKey(index, `index ${purpose}`)]));
  /** Used again for rows of the same place with ids of the same length, as all those of a page. */
  const scratch = new Map<Place, Buffer>();
  const associated = (place: Place, row: Uint8Array): Buffer => {
    const prefix = prefixes.get(place) as Buffer;
    let bytes = scratch.get(place);
    if (bytes?.length !== prefix.length + row.length) {
      bytes = Buffer.concat([prefix, row]);
      scratch.set(place, bytes);
    } else bytes.set(row, prefix.length);
    return bytes;
  };

  return {
    seal: (place, row, value) => seal(data, associated(place, row), Buffer.from(JSON.stringify(value))),
    open: <T>(place: Place, row: Uint8Array, sealed: Uint8Array) =>
      JSON.parse(openText(data, associated(place, row), sealed)) as T,
    hash: (purpose, value) => keyedHash(hashKeys.get(purpose) as Buffer, Buffer.from(value)),
  };
}

/**
 * Where sealed bytes are stored. They open only there, because the place and the row are authenticated with
 * them.
 */
const QUEUE_PLACES = [
  'entry.person',
  'invite.sealed',
  'invite.accept_answer',
  'cursor',
  'job.input',
  'import_chunk.sealed',
  'event.body',
  'delivery.response',
  'endpoint.sealed',
  'metadata.label',
  'form.captcha_secret',
  'visit',
  'segment.conditions',
  'erasure.reason',
  'decision.note',
  'rule.conditions',
  'code.sealed',
  'gate_key.secret',
  'wave.plan',
  'mail_event_key.secret',
  'repeated_request.answer',
] as const;
type Place = (typeof QUEUE_PLACES)[number];

/** What a keyed hash is for. Equal values hash differently for different purposes. */
const QUEUE_PURPOSES = [
  'email',
  'phone',
  'referral',
  'invite',
  'idempotency',
  'metadata',
  'import',
  'link',
  'form',
  'network',
  'gate',
  'mail-event',
  'bounce',
  'request',
] as const;
type Purpose = (typeof QUEUE_PURPOSES)[number];

/** Seals and hashes for one queue. */
export type QueueVault = Vault<Place, Purpose>;

export function queueVault(tag: string, keys: Buffer): QueueVault {
  return createVault(tag, keys, QUEUE_PLACES, QUEUE_PURPOSES);
}

/** Used in place of a queue's tag. No queue has a tag with a space. */
export const INSTALLATION_TAG = 'the installation';

const INSTALLATION_PLACES = [
  'operator.profile',
  'operator.totp',
  'operator_session.client',
  'passkey.sealed',
  'audit.details',
  'event.body',
  'delivery.response',
  'instance.alerts',
  'repeated_request.answer',
] as const;

const INSTALLATION_PURPOSES = [
  'email',
  'setup',
  'session',
  'device',
  'link',
  'recovery',
  'token',
  'audit',
  'passkey',
  'challenge',
  'request',
  'code',
] as const;

/**
 * Seals and hashes what belongs to no queue: operators, their sessions, tokens and mails, and the audit trail.
 */
export type InstallationVault = Vault<
  (typeof INSTALLATION_PLACES)[number],
  (typeof INSTALLATION_PURPOSES)[number]
>;

export function installationVault(keys: Buffer): InstallationVault {
  return createVault(INSTALLATION_TAG, keys, INSTALLATION_PLACES, INSTALLATION_PURPOSES);
}

/** Of a column that is not sealed. Throws `Unreadable`, as opening a sealed one does. */
export function storedJson<T>(text: string): T {
  try {
    return JSON.parse(text) as T;
  } catch (cause) {
    throw new Unreadable('damaged: not valid JSON', { cause });
  }
}
