import { timingSafeEqual } from 'node:crypto';
import { BOUNCE_TOKEN_CHARACTERS } from '../lib/email.ts';
import { encodeBytes, formatId, parseId } from '../lib/ids.ts';
import type { Context } from '../waitlist/queue/context.ts';
import { type Queue, TAG_CHARACTERS } from '../waitlist/queue/queue.ts';

/** 80 bits: nobody guesses one by sending messages. */
const MAC_BYTES = 10;
const ID_CHARACTERS = 26;
/** A report is about one email. More come only from somebody who tries. */
const TOKENS_READ_MAX = 20;

const TOKEN = new RegExp(`\\+([0-9a-z]{${BOUNCE_TOKEN_CHARACTERS}})@`, 'gi');

/** A mail that a bounce address names. */
export interface BouncedMail {
  queue: Queue;
  eventId: Uint8Array;
}

/**
 * `bounces+TOKEN@example.com`: the envelope sender of one mail, to which reports about it are sent. The token is the
 * tag of the queue, the id of the mail and a keyed hash of both.
 */
export function bounceAddressFor(queue: Queue, eventId: Uint8Array, address: string): string {
  const at = address.lastIndexOf('@');
  return `${address.slice(0, at)}+${tokenOf(queue, eventId)}${address.slice(at)}`;
}

function tokenOf(queue: Queue, eventId: Uint8Array): string {
  const named = `${queue.tag}${formatId('evt', eventId).slice('evt_'.length)}`;
  return `${named}${encodeBytes(queue.vault.hash('bounce', named).subarray(0, MAC_BYTES))}`;
}

/** Everything in the texts that looks like a token of a bounce address, up to a limit. */
export function findTokens(texts: readonly string[]): string[] {
  const tokens = new Set<string>();
  for (const text of texts) {
    for (const [, token = ''] of text.matchAll(TOKEN)) {
      tokens.add(token.toLowerCase());
      if (tokens.size >= TOKENS_READ_MAX) return [...tokens];
    }
  }
  return [...tokens];
}

/** Returns undefined if the token was not made here. Whether the mail still exists is another question. */
export async function mailOfToken({ registry }: Context, token: string): Promise<BouncedMail | undefined> {
  const eventId = parseId('evt', `evt_${token.slice(TAG_CHARACTERS, TAG_CHARACTERS + ID_CHARACTERS)}`);
  const queue = eventId && (await registry.queueByTag(token.slice(0, TAG_CHARACTERS)));
  if (!queue) return undefined;
  const expected = Buffer.from(tokenOf(queue, eventId));
  const given = Buffer.from(token);
  const same = expected.length === given.length && timingSafeEqual(expected, given);
  return same ? { queue, eventId } : undefined;
}
