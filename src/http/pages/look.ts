import { readParts } from '../../mail/parts.ts';
import type { Context } from '../../waitlist/queue/context.ts';
import type { Queue } from '../../waitlist/queue/directory.ts';
import type { Brand } from './branded-page.ts';

export interface Look extends Brand {
  /** Contains `{referralCode}`. */
  referralUrl: string | null;
}

/** Pages look like the mails of their waitlist. */
export async function lookOf(context: Context, { waitlist }: Queue): Promise<Look> {
  const { settings } = await readParts(context, waitlist.internalId);
  const { colour, logoUrl, referralUrl } = settings;
  return { name: waitlist.name, colour, logoUrl, referralUrl };
}
