import type { Texts } from '../../languages/texts.ts';
import { readParts } from '../../mail/parts.ts';
import { formOf } from '../../waitlist/forms/form.ts';
import type { Context } from '../../waitlist/queue/context.ts';
import type { Queue } from '../../waitlist/queue/queue.ts';
import { type Html, html } from '../docs/html.ts';
import { withLink } from './page.ts';

interface OnwardParts {
  context: Context;
  /** Of the installation's emails. null if it sends none. */
  sender: string | null;
}

/** How somebody who has accepted gets to the product: by the link that its operators set, or by asking them. */
export async function onward({ context, sender }: OnwardParts, queue: Queue, { join }: Texts): Promise<Html> {
  const { name, internalId } = queue.waitlist;
  const { acceptedUrl } = (await formOf(context, queue)).settings;
  if (acceptedUrl !== null)
    return html`<a class="button" href="${acceptedUrl}" rel="noreferrer">${join.continueTo(name)}</a>`;
  const { settings } = await readParts(context, internalId);
  const address = settings.replyTo ?? settings.from ?? sender;
  if (address === null) return html`<p>${join.askHost(name)}</p>`;
  const url = `mailto:${encodeURIComponent(address).replace('%40', '@')}`;
  return html`<p>${withLink((shown) => join.askSender(name, shown), address, url)}</p>`;
}
