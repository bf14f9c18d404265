import type { Database } from '../db/database.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Meter } from '../lib/meter.ts';
import type { InstallationVault } from '../vault/installation-vault.ts';
import { INSTALLATION_TAG } from '../vault/installation-vault.ts';
import type { Keyring } from '../vault/keyring.ts';
import { changeSettings } from '../waitlist/queue/change-settings.ts';
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

/** Opens the installation's keys. An installation from before operators gets them here. */
export async function openOperators(
  parts: Parts,
  passwords: Passwords = argon2Passwords(),
): Promise<OperatorContext> {
  const { db, keyring, clock, log, meter } = parts;
  const { installation_keys } = await db.query
    .selectFrom('instance')
    .select('installation_keys')
    .executeTakeFirstOrThrow();
  const wrapped = installation_keys ?? (await makeKeys(parts));
  return {
    ...{ db, clock, log, meter },
    vault: keyring.openInstallation(wrapped),
    passwords,
  };
}

function makeKeys({ db, keyring }: Pick<Parts, 'db' | 'keyring'>): Promise<Uint8Array> {
  return changeSettings({ db, keyring }, async (trx, master) => {
    const { installation_keys } = await trx
      .selectFrom('instance')
      .select('installation_keys')
      .executeTakeFirstOrThrow();
    if (installation_keys) return installation_keys; // Another process was first.
    const made = keyring.wrapNewKeys(master, INSTALLATION_TAG);
    await trx.updateTable('instance').set({ installation_keys: made }).execute();
    return made;
  });
}
