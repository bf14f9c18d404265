import type { Database, Trx } from '../db/database.ts';
import type { Log } from '../lib/log.ts';
import type { Meter } from '../lib/telemetry.ts';
import type { Clock } from '../lib/time.ts';
import { Unreadable } from '../vault/crypto.ts';
import type { Keyring } from '../vault/keyring.ts';
import type { InstallationVault } from '../vault/vault.ts';
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

export interface Recipient {
  /** opr_… */
  id: string;
  email: string;
}

/** What an operator is told about their account. */
export type Notice =
  | { kind: 'invitation' | 'reset'; token: string; expiresAt: number; by: string | null }
  | {
      kind: 'password-changed' | 'email-changed' | 'two-factor-off' | 'passkey-added';
      address?: string | null;
    }
  | { kind: 'new-sign-in'; address: string; agent: string }
  | ({ kind: 'health' } & HealthChange);

/** What has begun to fail, and what is well again. Both are empty in a test. */
export interface HealthChange {
  failing: readonly HealthChangeOf[];
  recovered: readonly HealthChangeOf[];
}

interface HealthChangeOf {
  check: string;
  detail: string;
}

/** Listens to changes of accounts. Passed in when the service is put together. */
export interface Notices {
  /** Runs in the transaction of the change. */
  write(trx: Trx, to: Recipient, notice: Notice, now: number): void;
  /** After the commit. */
  wake(): void;
  /** Erases everything that was written to this operator. Call the returned function after the commit. */
  erase(trx: Trx, operatorId: Uint8Array, now: number): Promise<() => Promise<void>>;
}
