import { timingSafeEqual } from 'node:crypto';
import { formatId, randomBytes } from '../lib/ids.ts';
import type { InstallationVault } from '../vault/vault.ts';
import type { OperatorContext } from './context.ts';

const NONCE_BYTES = 16;
/** Exactly two parts, so that a cookie has one spelling only. */
const DEVICE = /^([A-Za-z0-9_-]{22})\.([A-Za-z0-9_-]{43})$/;

/** The account that a browser has signed in to. */
interface Account {
  email_hash: Uint8Array;
  password: string | null;
}

/**
 * Marks a browser that has signed in to this account with its current password. It grants nothing; its attempts
 * are only counted separately.
 */
export function newDevice(vault: InstallationVault, account: Account): string {
  const nonce = randomBytes(NONCE_BYTES).toString('base64url');
  return `${nonce}.${proof(vault, account, nonce)}`;
}

/** What tells this browser from others, or undefined if it is not known. */
export function knownDevice(
  vault: InstallationVault,
  account: Account | undefined,
  device: string | undefined,
): string | undefined {
  const [, nonce, given] = DEVICE.exec(device ?? '') ?? [];
  if (!account || nonce === undefined || given === undefined) return undefined;
  const wanted = proof(vault, account, nonce);
  return timingSafeEqual(Buffer.from(given), Buffer.from(wanted)) ? nonce : undefined;
}

function proof(vault: InstallationVault, { email_hash, password }: Account, nonce: string): string {
  const about = [Buffer.from(email_hash).toString('hex'), password, nonce];
  return vault.hash('device', JSON.stringify(about)).toString('base64url');
}

/** The operator who has signed in with this browser before, by the mark that it keeps. */
export async function operatorOfDevice(
  { db, vault }: OperatorContext,
  device: string | undefined,
): Promise<string | undefined> {
  if (device === undefined) return undefined;
  const rows = await db.query.selectFrom('operator').select(['id', 'email_hash', 'password']).execute();
  const row = rows.find((each) => knownDevice(vault, each, device));
  return row && formatId('opr', row.id);
}
