import { open, type SealingKey, seal, sealedBy, Unreadable } from './crypto.ts';
import type { MasterKeySource } from './master-key.ts';
import {
  INSTALLATION_TAG,
  type InstallationVault,
  installationVault,
  newVaultKeys,
  type QueueVault,
  queueVault,
} from './vault.ts';

const CHECK = Buffer.from('doorlist master key check');

/** Wraps and unwraps the keys of queues and of the installation with the master key. */
export interface Keyring {
  wrapNewKeys(master: SealingKey, tag: string): Buffer;
  openQueue(tag: string, wrapped: Uint8Array): QueueVault;
  openInstallation(wrapped: Uint8Array): InstallationVault;
  rewrap(to: SealingKey, tag: string, wrapped: Uint8Array): Buffer;
  makeCheck(master: SealingKey): Buffer;
  /** The master key that created this check, or undefined if it is not one of ours. */
  masterFor(check: Uint8Array): SealingKey | undefined;
  readonly source: MasterKeySource;
}

export function createKeyring(source: MasterKeySource): Keyring {
  let masters = source.load();

  const findMaster = (sealed: Uint8Array): SealingKey | undefined => {
    const id = sealedBy(sealed);
    const known = () => masters.find((master) => master.id.equals(id));
    if (!known()) masters = source.load(); // Another process may have rotated the key.
    return known();
  };
  const unwrap = (tag: string, wrapped: Uint8Array): Buffer => {
    const master = findMaster(wrapped);
    if (!master) throw new Unreadable('these keys are wrapped by another master key');
    return open(master, wrapContext(tag), wrapped);
  };

  return {
    source,
    wrapNewKeys: (master, tag) => seal(master, wrapContext(tag), newVaultKeys()),
    openQueue: (tag, wrapped) => queueVault(tag, unwrap(tag, wrapped)),
    openInstallation: (wrapped) => installationVault(unwrap(INSTALLATION_TAG, wrapped)),
    rewrap: (to, tag, wrapped) => seal(to, wrapContext(tag), unwrap(tag, wrapped)),
    makeCheck: (master) => seal(master, CHECK, CHECK),
    masterFor: (check) => {
      const master = findMaster(check);
      if (master) open(master, CHECK, check);
      return master;
    },
  };
}

function wrapContext(tag: string): Buffer {
  return Buffer.from(`queue keys\0${tag}`);
}
