import type { QueueVault } from '../../vault/vault.ts';

/** 30 bits. A new queue gets a tag that no other has. */
export const TAG_CHARACTERS = 6;

export interface Waitlist {
  readonly internalId: number;
  readonly id: string;
  readonly name: string;
}

/** One waitlist in one environment. */
export interface Queue {
  readonly id: number;
  readonly tag: string;
  readonly environment: string;
  readonly waitlist: Waitlist;
  readonly vault: QueueVault;
}

export function isWaitlistId(text: string): boolean {
  return /^wl_[a-z0-9][a-z0-9_-]{0,61}$/.test(text);
}

export function isEnvironmentName(text: string): boolean {
  return /^[a-z][a-z0-9-]{0,31}$/.test(text);
}
