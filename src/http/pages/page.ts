import type { FastifyReply } from 'fastify';
import { DEFAULT_LANGUAGE, textsIn } from '../../languages/languages.ts';
import type { Notice, Texts } from '../../languages/texts.ts';
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
export function withLink(text: (value: string) => string, value: string, url: string): Html {
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
