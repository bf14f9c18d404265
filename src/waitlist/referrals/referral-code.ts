import { decodeBase32, encodeBase32 } from '../../lib/ids.ts';
import type { QueueVault } from '../../vault/queue-vault.ts';
import type { Queue } from '../queue/queue.ts';

/**
 * A referral code is the entry's joining sequence under a permutation keyed by the queue: 40 bits, 8
 * characters. So it is unique in its queue by construction and needs neither a column nor an index.
 */
interface ReferralCodes {
  of(seq: number): string;
  /** Returns the sequence of a code, or undefined if the code is malformed. The entry may not exist. */
  seqOf(code: string): number | undefined;
}

const codesByVault = new WeakMap<QueueVault, ReferralCodes>();

export function referralCodesOf({ vault }: Queue): ReferralCodes {
  let codes = codesByVault.get(vault);
  if (!codes) {
    codes = referralCodes(vault);
    codesByVault.set(vault, codes);
  }
  return codes;
}

const CHARACTERS = 8;
const HALF_BITS = 20;
const HALF = 2 ** HALF_BITS;
const ROUNDS = 8; // One for each 32-bit word of the hash.

/** A Feistel network. It hides an order, not a secret, so mixing integers is enough. */
export function referralCodes(vault: QueueVault): ReferralCodes {
  const words = vault.hash('referral', 'round keys');
  const keys = Array.from({ length: ROUNDS }, (_, round) => words.readUInt32LE(4 * round));
  const mix = (round: number, half: number): number => {
    let mixed = Math.imul(half ^ (keys[round] ?? 0), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return (mixed ^ (mixed >>> 16)) >>> (32 - HALF_BITS);
  };
  return {
    of: (seq) => {
      let left = Math.floor(seq / HALF);
      let right = seq % HALF;
      for (let round = 0; round < ROUNDS; round += 1) [left, right] = [right, left ^ mix(round, right)];
      return encodeBase32(left * HALF + right, CHARACTERS);
    },
    seqOf: (code) => {
      const value = code.length === CHARACTERS ? decodeBase32(code) : undefined;
      if (value === undefined) return undefined;
      let left = Math.floor(value / HALF);
      let right = value % HALF;
      for (let round = ROUNDS - 1; round >= 0; round -= 1) [left, right] = [right ^ mix(round, left), left];
      return left * HALF + right;
    },
  };
}
