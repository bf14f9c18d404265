import type { FastifyReply } from 'fastify';
import { DEFAULT_LANGUAGE, textsIn } from '../../languages/languages.ts';
import type { Notice, Texts } from '../../languages/texts.ts';
import { readParts } from '../../mail/parts.ts';
import { formOf } from '../../waitlist/forms/form.ts';
import { queueOfLink } from '../../waitlist/links/links.ts';
import type { Context } from '../../waitlist/queue/context.ts';
import type { Queue } from '../../waitlist/queue/queue.ts';
import { pictureUrl } from '../../waitlist/settings/pictures.ts';
import { Html, html } from '../docs/html.ts';
import { type Brand, sendBrandedPage } from './branded-page.ts';

export interface Page {
  status?: number;
  title: string;
  content: Html;
}

/** Without a brand for whoever has no link to a waitlist. */
export function sendPage(
  reply: FastifyReply,
  page: Page,
  texts: Texts = textsIn(DEFAULT_LANGUAGE),
  brand?: Brand,
): string {
  return sendBrandedPage(reply, { ...page, texts, brand });
}

/** A notice without anything to do. */
export function noticePage({ title, text }: Notice, status = 200): Page {
  return { status, title, content: html`<p>${text}</p>` };
}

/** The text as markup, with the value that it contains in bold. */
export function withStrong(text: (value: string) => string, value: string): Html {
  return withMarked(text, html`<strong>${value}</strong>`);
}

/** The text as markup, with the value that it contains as a link. */
function withLink(text: (value: string) => string, value: string, url: string): Html {
  return withMarked(text, html`<a href="${url}">${value}</a>`);
}

function withMarked(text: (value: string) => string, marked: Html): Html {
  const [before = '', ...after] = text(VALUE_PLACE).split(VALUE_PLACE);
  return html`${before}${after.map((part) => html`${marked}${part}`)}`;
}

/** Stands for the value until the text around it is escaped. Neither texts nor names contain it. */
const VALUE_PLACE = '\u0000';

/**
 * Actions need this button and never happen just by opening a page. URLs are relative, because a proxy may
 * serve us under a path.
 */
export function button(action: string, words: string, quiet = false): Html {
  return html`<form method="post" action="${action}"><button${quiet && new Html(' class="quiet"')}>${words}</button></form>`;
}

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
