import { randomBytes } from 'node:crypto';
import { statement } from '../../db/statement.ts';
import { DAY_MS } from '../../lib/time.ts';
import type { Queue } from '../queue/queue.ts';
import type { QueueChange } from '../queue/queue-change.ts';
import { LINK_BYTES } from '../referrals/visit-code.ts';

const KEPT_MS = DAY_MS;

/** What a network was shown for an address. It stays until the next cleaning. */
export interface ShownPlace {
  place: number;
  link: Uint8Array;
  expires_at: number;
}

export const findShownPlace = statement<{ queueId: number; visitor: Uint8Array }, ShownPlace>(
  (db, parameter) =>
    db.query
      .selectFrom('form_visit')
      .select(['place', 'link', 'expires_at'])
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
  newSeq: number | undefined,
): Promise<{ place: number; link: Buffer }> {
  const shown = before && before.expires_at > now ? before : undefined;
  const place = newSeq ?? shown?.place ?? lastSeq + 1;
  const link = shown ? Buffer.from(shown.link) : randomBytes(LINK_BYTES);
  const next = { place, link, expires_at: now + KEPT_MS };
  if (!before) trx.insert('form_visit', [{ queue_id: queue.id, visitor_hash, ...next }]);
  else if (place !== shown?.place)
    await trx
      .updateTable('form_visit')
      .set(next)
      .where('queue_id', '=', queue.id)
      .where('visitor_hash', '=', visitor_hash)
      .execute();
  return { place, link };
}
