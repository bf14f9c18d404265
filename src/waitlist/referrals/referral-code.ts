import { decodeBase32, encodeBase32 } from '../../lib/ids.ts';
import type { QueueVault } from '../../vault/vault.ts';
import type { Identifier } from '../people/identity.ts';
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

const HALF_CHARACTERS = 8;
/** Half of the code of a visit. */
export const LINK_BYTES = 5;
const LINKS = 2 ** 40;
const VISIT_ROUNDS = 4;

/**
 * A referral code for somebody who only typed an address: it counts for the entry, but nobody can tell from it, or from
 * several of them, which referral code the entry has. 80 bits, 16 characters: the joining sequence and the number of the
 * link, under a permutation keyed by the queue.
 */
export function visitCodeOf({ vault }: Queue, seq: number, link: Buffer): string {
  let left = seq;
  let right = link.readUIntBE(0, LINK_BYTES);
  for (let round = 0; round < VISIT_ROUNDS; round += 1)
    [left, right] = [right, (left + mixed(vault, round, right)) % LINKS];
  return encodeBase32(left, HALF_CHARACTERS) + encodeBase32(right, HALF_CHARACTERS);
}

/** The entry that a visit was about, and the link that was shown. */
export interface VisitLink {
  readonly seq: number;
  readonly link: Buffer;
}

/** Returns undefined if it is malformed. The entry may not exist. */
export function readVisitCode({ vault }: Queue, code: string): VisitLink | undefined {
  let left = decodeBase32(code.slice(0, HALF_CHARACTERS));
  let right = decodeBase32(code.slice(HALF_CHARACTERS));
  if (code.length !== 2 * HALF_CHARACTERS || left === undefined || right === undefined) return undefined;
  for (let round = VISIT_ROUNDS - 1; round >= 0; round -= 1)
    [left, right] = [(right - mixed(vault, round, left) + LINKS) % LINKS, left];
  const link = Buffer.alloc(LINK_BYTES);
  link.writeUIntBE(right, 0, LINK_BYTES);
  return { seq: left, link };
}

/** A Feistel network with a cryptographic round function, because it hides who somebody is. */
function mixed(vault: Queue['vault'], round: number, half: number): number {
  return vault.hash('referral', `visit round ${round} ${half}`).readUIntBE(0, LINK_BYTES);
}

/**
 * Refers to an entry by the hash of its email or phone, by its joining sequence, or by a referral code. Our
 * own codes contain the sequence; codes from another system are looked up.
 */
export type Reference =
  | { readonly email: Buffer }
  | { readonly phone: Buffer }
  | { readonly seq: number }
  | CodeReference;

export interface CodeReference {
  readonly code: string;
  /** Our own code that it stands for, if it can be one: of an entry that was merged, this is an alias. */
  readonly own?: string | undefined;
  readonly ownSeq: number | undefined;
  /** If the form showed it to somebody who typed an address. */
  readonly visit?: VisitLink | undefined;
}

export function referenceTo(queue: Queue, { kind, key }: Identifier): Reference {
  if (kind === 'email') return { email: queue.vault.hash('email', key) };
  if (kind === 'phone') return { phone: queue.vault.hash('phone', key) };
  return codeReference(queue, key);
}

export function codeReference(queue: Queue, code: string): CodeReference {
  const lower = code.toLowerCase();
  const visit = readVisitCode(queue, lower);
  const codes = referralCodesOf(queue);
  const ownSeq = visit?.seq ?? codes.seqOf(lower);
  return { code, ownSeq, own: ownSeq === undefined ? undefined : codes.of(ownSeq), visit };
}

/** Returns the sequence if the code belongs to this queue, ignoring case. */
export function ownSeqOf(queue: Queue, code: string): number | undefined {
  return codeReference(queue, code).ownSeq;
}

/** As it was typed, and as the code of ours that it can be, ignoring case. */
export function spellingsOf({ code, own }: CodeReference): string[] {
  return own === undefined || own === code ? [code] : [code, own];
}
