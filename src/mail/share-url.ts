import { formOf } from '../waitlist/forms/form.ts';
import { fillPattern } from '../waitlist/links/links.ts';
import type { Context } from '../waitlist/queue/context.ts';
import type { Queue } from '../waitlist/queue/queue.ts';
import { hostedUrl } from '../wire/form.ts';
import { readParts } from './parts.ts';

/** From a referral code to the link to share: the waitlist's own page, or ours if its form is on. */
export async function shareUrls(
  context: Context,
  queue: Queue,
  publicUrl: string,
): Promise<(code: string) => string | null> {
  const [{ settings }, form] = await Promise.all([
    readParts(context, queue.waitlist.internalId),
    formOf(context, queue),
  ]);
  const { referralUrl } = settings;
  if (referralUrl !== null) return (code) => fillPattern(referralUrl, 'referralCode', code);
  return (code) => (form.enabled ? hostedUrl(publicUrl, queue, { ref: code }) : null);
}
