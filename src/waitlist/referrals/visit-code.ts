import { decodeBase32, encodeBase32 } from '../../lib/ids.ts';
import type { Queue } from '../queue/queue.ts';

const HALF_CHARACTERS = 8;
/** Half of a code. */
export const LINK_BYTES = 5;
const HALF = 2 ** 40;
const ROUNDS = 4;

/**
 * A referral code for somebody who only typed an address: it counts for the entry, but nobody can tell from it, or from
 * several of them, which referral code the entry has. 80 bits, 16 characters: the joining sequence and the number of the
 * link, under a permutation keyed by the queue.
 */
export function visitCodeOf({ vault }: Queue, seq: number, link: Buffer): string {
  let left = seq;
  let right = link.readUIntBE(0, LINK_BYTES);
  for (let round = 0; round < ROUNDS; round += 1)
    [left, right] = [right, (left + mixed(vault, round, right)) % HALF];
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
  for (let round = ROUNDS - 1; round >= 0; round -= 1)
    [left, right] = [(right - mixed(vault, round, left) + HALF) % HALF, left];
  const link = Buffer.alloc(LINK_BYTES);
  link.writeUIntBE(right, 0, LINK_BYTES);
  return { seq: left, link };
}

/** A Feistel network with a cryptographic round function, because it hides who somebody is. */
function mixed(vault: Queue['vault'], round: number, half: number): number {
  return vault.hash('referral', `visit round ${round} ${half}`).readUIntBE(0, LINK_BYTES);
}
