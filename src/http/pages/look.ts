import { textsIn } from '../../languages/languages.ts';
import { readParts } from '../../mail/parts.ts';
import { queueOfLink } from '../../waitlist/links/links.ts';
import type { Context } from '../../waitlist/queue/context.ts';
import type { Queue } from '../../waitlist/queue/queue.ts';
import type { Brand } from './branded-page.ts';

/** Pages look like the mails of their waitlist. */
export async function lookOf(context: Context, { waitlist }: Queue): Promise<Brand> {
  const { settings } = await readParts(context, waitlist.internalId);
  const { colour, logoUrl, language } = settings;
  return { name: waitlist.name, colour, logoUrl, language: language && textsIn(language).tag };
}

/** For a link that is known to be good: its first characters alone name the waitlist. */
export async function lookOfLink(context: Context, token: string): Promise<Brand | undefined> {
  const queue = await queueOfLink(context, token);
  return queue && lookOf(context, queue);
}
