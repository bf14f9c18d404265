import { createVault, type Vault } from './vault.ts';

/** Used in place of a queue's tag. No queue has a tag with a space. */
export const INSTALLATION_TAG = 'the installation';

const PLACES = [
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

const PURPOSES = [
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
] as const;

/**
 * Seals and hashes what belongs to no queue: operators, their sessions, tokens and mails, and the audit trail.
 */
export type InstallationVault = Vault<(typeof PLACES)[number], (typeof PURPOSES)[number]>;

export function installationVault(keys: Buffer): InstallationVault {
  return createVault(INSTALLATION_TAG, keys, PLACES, PURPOSES);
}
