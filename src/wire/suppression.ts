import { formatId } from '../lib/ids.ts';
import { isoTime } from '../lib/time.ts';
import type { SuppressedPerson } from '../waitlist/links/suppressed-people.ts';

export function presentSuppression({ emailHash, email, entryId, reason, since }: SuppressedPerson) {
  return {
    hash: Buffer.from(emailHash).toString('hex').slice(0, 16),
    email,
    entryId: entryId && formatId('ent', entryId),
    reason,
    since: isoTime(since),
  };
}
