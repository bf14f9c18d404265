import { textsIn } from '../../languages/languages.ts';
import { readParts } from '../../mail/parts.ts';
import { formOf } from '../../waitlist/forms/form.ts';
import { queueOfLink } from '../../waitlist/links/links.ts';
import type { Context } from '../../waitlist/queue/context.ts';
import type { Queue } from '../../waitlist/queue/queue.ts';
import { pictureUrl } from '../../waitlist/settings/pictures.ts';
import type { Brand } from './branded-page.ts';

interface LookParts {
  context: Context;
  publicUrl: string;
}

/** Pages look like the mails of their waitlist. */
export async function lookOf({ context, publicUrl }: LookParts, queue: Queue): Promise<Brand> {
  const [{ settings }, form] = await Promise.all([
    readParts(context, queue.waitlist.internalId),
    formOf(context, queue),
  ]);
  const { colour, logoUrl, language } = settings;
  return {
    name: queue.waitlist.name,
    colour,
    logoUrl: pictureUrl(logoUrl, publicUrl),
    shareImageUrl: form.settings.shareImageUrl,
    language: language && textsIn(language).tag,
  };
}

/** For a link that is known to be good: its first characters alone name the waitlist. */
export async function lookOfLink(parts: LookParts, token: string): Promise<Brand | undefined> {
  const queue = await queueOfLink(parts.context, token);
  return queue && lookOf(parts, queue);
}
