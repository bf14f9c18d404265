import type { Database } from '../db/database.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Meter } from '../lib/meter.ts';
import { Unreadable } from '../vault/crypto.ts';
import type { InstallationVault } from '../vault/installation-vault.ts';
import type { Keyring } from '../vault/keyring.ts';
import type { Notices } from './notices.ts';
import { argon2Passwords, type Passwords } from './password.ts';

/** What every verb here needs. */
export interface OperatorContext {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly meter: Meter;
  readonly vault: InstallationVault;
  readonly passwords: Passwords;
  /** Tells operators about changes to their accounts. */
  readonly notices?: Notices;
}

interface Parts {
  db: Database;
  keyring: Keyring;
  clock: Clock;
  log: Log;
  meter: Meter;
}

/** Opens the installation's keys. */
export async function openOperators(
  parts: Parts,
  passwords: Passwords = argon2Passwords(),
): Promise<OperatorContext> {
  const { db, keyring, clock, log, meter } = parts;
  const { installation_keys: wrapped } = await db.query
    .selectFrom('instance')
    .select('installation_keys')
    .executeTakeFirstOrThrow();
  if (!wrapped) throw new Unreadable('the keys of the installation are missing');
  return {
    ...{ db, clock, log, meter },
    vault: keyring.openInstallation(wrapped),
    passwords,
  };
}
