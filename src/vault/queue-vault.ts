import { createVault, type Vault } from './vault.ts';

export { newVaultKeys as newQueueKeys } from './vault.ts';

/**
 * Where sealed bytes are stored. They open only there, because the place and the row are authenticated with
 * them.
 */
const PLACES = [
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
  'gate_key.secret',
  'wave.plan',
  'mail_event_key.secret',
  'repeated_request.answer',
] as const;
type Place = (typeof PLACES)[number];

/** What a keyed hash is for. Equal values hash differently for different purposes. */
const PURPOSES = [
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
type Purpose = (typeof PURPOSES)[number];

/** Seals and hashes for one queue. */
export type QueueVault = Vault<Place, Purpose>;

export function queueVault(tag: string, keys: Buffer): QueueVault {
  return createVault(tag, keys, PLACES, PURPOSES);
}
