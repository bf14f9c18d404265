import { bytesKey } from '../../lib/bytes-key.ts';
import type { QueueVault } from '../../vault/queue-vault.ts';

const GMAIL = new Set(['gmail.com', 'googlemail.com']);

/**
 * The address, in normal form, of the mailbox that a normal address delivers to, as far as its spelling tells. Almost every
 * provider with tags separates them with a plus sign, and where it is part of the name, hardly two people differ only in
 * what follows it. Dots are different: only Gmail is known to ignore them.
 */
export function mailboxOf(key: string): string {
  const at = key.lastIndexOf('@');
  const domain = key.slice(at + 1);
  const isGmail = GMAIL.has(domain);
  const plus = key.indexOf('+');
  const name = key.slice(0, plus > 0 && plus < at ? plus : at);
  if (!isGmail) return name.length === at ? key : `${name}@${domain}`;
  return `${name.replaceAll('.', '') || name}@gmail.com`;
}

/** Hashed as an address, so that it can be compared with both. null if the address itself is that of the mailbox. */
export function mailboxHash(vault: QueueVault, key: string): Buffer | null {
  const mailbox = mailboxOf(key);
  return mailbox === key ? null : vault.hash('email', mailbox);
}

/** Names the mailbox of an entry as the key of a map. */
export function mailboxKey({
  email_hash,
  mailbox_hash,
}: {
  email_hash: Uint8Array | null;
  mailbox_hash: Uint8Array | null;
}): string | null {
  const hash = mailbox_hash ?? email_hash;
  return hash && bytesKey(hash);
}
