import { timingSafeEqual } from 'node:crypto';
import { randomBytes } from '../random-bytes.ts';
import type { InstallationVault } from '../vault/installation-vault.ts';

const NONCE_BYTES = 16;

/**
 * Marks a browser that has signed in to this account. It grants nothing; its attempts are only counted
 * separately.
 */
export function newDevice(vault: InstallationVault, emailHash: Buffer): string {
  const nonce = randomBytes(NONCE_BYTES).toString('base64url');
  return `${nonce}.${proof(vault, emailHash, nonce).toString('base64url')}`;
}

export function isKnownDevice(
  vault: InstallationVault,
  emailHash: Buffer,
  device: string | undefined,
): boolean {
  const [nonce = '', given = ''] = device?.split('.') ?? [];
  const wanted = proof(vault, emailHash, nonce);
  const bytes = Buffer.from(given, 'base64url');
  return bytes.length === wanted.length && timingSafeEqual(bytes, wanted);
}

function proof(vault: InstallationVault, emailHash: Buffer, nonce: string): Buffer {
  return vault.hash('device', `${emailHash.toString('hex')} ${nonce}`);
}
