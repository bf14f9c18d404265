import { isoTime } from '../lib/time.ts';
import type { Suppression } from '../waitlist/links/suppression.ts';

export function presentSuppression({ emailHash, reason, since }: Suppression) {
  return { hash: Buffer.from(emailHash).toString('hex').slice(0, 16), reason, since: isoTime(since) };
}
