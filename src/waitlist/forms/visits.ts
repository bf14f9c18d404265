import { randomBytes } from 'node:crypto';
import { statement } from '../../db/statement.ts';
import { DAY_MS } from '../../lib/time.ts';
import { ifReadable } from '../../vault/crypto.ts';
import { type Queue, TAG_CHARACTERS } from '../queue/queue.ts';
import type { QueueChange } from '../queue/queue-change.ts';
import { LINK_BYTES } from '../referrals/referral-code.ts';

const KEPT_MS = DAY_MS;

/** What a network was shown for an address. It stays until the next cleaning. */
export interface ShownPlace {
  place: number;
  link: Uint8Array;
  /** How many places earlier a code made it count. */
  advanced: number;
  expires_at: number;
}

export const findShownPlace = statement<{ queueId: number; visitor: Uint8Array }, ShownPlace>(
  (db, parameter) =>
    db.query
      .selectFrom('form_visit')
      .select(['place', 'link', 'advanced', 'expires_at'])
      .where('queue_id', '=', parameter('queueId'))
      .where('visitor_hash', '=', parameter('visitor')),
);

/** Per network, because somebody elsewhere must not see that an address was typed a moment ago. */
export function visitorHash({ vault }: Queue, email: Buffer, network: string): Buffer {
  return vault.hash('network', `${email.toString('base64')} ${network}`);
}

/**
 * Only a new address makes the line longer. Who sends it again would see that, if they were shown the end of the line
 * once more: so they see the same place, like somebody who sends a known address again, and the same link.
 */
export async function placeFor(
  { trx, queue, now, lastSeq }: QueueChange,
  visitor_hash: Buffer,
  before: ShownPlace | undefined,
  joining: { newSeq: number | undefined; advanced: number },
): Promise<{ place: number; link: Buffer; advanced: number }> {
  const shown = before && before.expires_at > now ? before : undefined;
  const { newSeq } = joining;
  const place = newSeq ?? shown?.place ?? lastSeq + 1;
  const advanced = shown && newSeq === undefined ? shown.advanced : joining.advanced;
  const link = shown ? Buffer.from(shown.link) : randomBytes(LINK_BYTES);
  const next = { place, link, advanced, expires_at: now + KEPT_MS };
  if (!before) trx.insert('form_visit', [{ queue_id: queue.id, visitor_hash, ...next }]);
  else if (place !== shown?.place)
    await trx
      .updateTable('form_visit')
      .set(next)
      .where('queue_id', '=', queue.id)
      .where('visitor_hash', '=', visitor_hash)
      .execute();
  return { place, link, advanced };
}

/** What somebody who used the form may see: whoever typed the address, not necessarily its owner. */
export interface Visit {
  /** The entry with the typed address. */
  seq: number;
  /**
   * The joining sequence whose position is shown. For an address that was already known it is the end of the line, as
   * for a new one: the form does not tell who is on the list.
   */
  place: number;
  known: boolean;
  /** How many places earlier the code that was named makes it count. */
  advanced: number;
  /** In the code of the link to share. */
  link: Buffer;
}

const ROW = Buffer.from('form');

/** Sealed, because an entry's id shows when it was created. */
export function sealVisit({ tag, vault }: Queue, { seq, place, known, advanced, link }: Visit): string {
  const pad = (value: number) => String(value).padStart(15, '0');
  const sealed = [pad(seq), pad(place), known ? 1 : 0, link.toString('hex'), pad(advanced)];
  return tag + vault.seal('visit', ROW, sealed).toString('base64url');
}

export function openVisit({ vault }: Queue, token: string): Visit | undefined {
  const sealed = Buffer.from(token.slice(TAG_CHARACTERS), 'base64url');
  const opened = ifReadable(() =>
    vault.open<[string, string, number, string, string?]>('visit', ROW, sealed),
  );
  if (!opened) return undefined;
  const [seq, place, known, text, advanced = '0'] = opened;
  const link = Buffer.from(text, 'hex');
  return { seq: Number(seq), place: Number(place), known: known === 1, advanced: Number(advanced), link };
}
