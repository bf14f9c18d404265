import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import type { Texts } from '../../languages/texts.ts';
import { Html, html } from '../docs/html.ts';
import { BRANDED_STYLE } from './branded-style.ts';

/** How a waitlist looks: its name, and what its mail settings say. */
export interface Brand {
  name: string;
  colour: string | null;
  logoUrl: string | null;
  /** What other sites show beside a link to a page. null for the logo. */
  shareImageUrl: string | null;
  /** In which operators write. null if they did not say. */
  language: string | null;
}

/** Other origins that a CAPTCHA loads from, by directive of the policy. */
export type CaptchaSources = Readonly<
  Partial<Record<'script-src' | 'frame-src' | 'style-src' | 'connect-src', string>>
>;

export interface BrandedPage {
  status?: number;
  texts: Texts;
  /** undefined if the page belongs to no waitlist. */
  brand?: Brand | undefined;
  title: string;
  /** Whether operators wrote the title. */
  titleIsOwn?: boolean;
  content: Html;
  /** For search results and links on other sites. Never about a person. */
  description?: string | undefined;
  /** Where our script is, relative to the page. */
  script?: string | undefined;
  captchaSources?: CaptchaSources | undefined;
  /**
   * Where the page leads at once. A redirect after a form would have to pass the policy of the page with the form, also
   * if it goes on to origins that nobody told us about.
   */
  leadsTo?: string | null;
  /** Whether search engines may list it. */
  listed?: boolean;
}

/** A page that carries the look of a waitlist. It works without scripts, and on a phone first. */
export function sendBrandedPage(reply: FastifyReply, page: BrandedPage): string {
  const { texts } = page;
  reply
    .code(page.status ?? 200)
    .type('text/html; charset=utf-8')
    .headers({
      'content-security-policy': policyOf(page, styleOf(page).hash),
      // The URL of most pages is their reader's secret. For the form, browsers must not hide the origin.
      'referrer-policy': page.listed ? 'same-origin' : 'no-referrer',
      'content-language': texts.tag,
      vary: 'accept-language',
      ...(page.listed ? {} : { 'x-robots-tag': 'noindex' }),
    })
    .serializer((text: string) => text);
  return brandedHtml(page);
}

export function brandedHtml(page: BrandedPage): string {
  const { texts, brand, title, content } = page;
  return html`<!doctype html>
<html lang="${texts.tag}" dir="${texts.dir}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${page.leadsTo ? html`<meta http-equiv="refresh" content="0; url=${new URL(page.leadsTo).href}">` : undefined}
<title>${title}</title>
${headHtml(page)}
<style>${new Html(styleOf(page).text)}</style>
${page.script !== undefined && html`<script src="${page.script}" defer></script>`}
</head>
<body>
<main>
${brand && brandHtml(brand)}
<h1${page.titleIsOwn && ownAttributes(brand)}>${title}</h1>
${content}
</main>
</body>
</html>
`.text;
}

/** What browsers, search engines and social networks show of a page. */
function headHtml({ texts, brand, title, description }: BrandedPage): Html {
  if (!brand) return html`<link rel="icon" href="${markIn(null)}">`;
  const about = description ?? texts.share.description(brand.name);
  const picture = brand.shareImageUrl ?? brand.logoUrl;
  return html`<meta name="description" content="${about}">
<meta property="og:type" content="website">
<meta property="og:site_name" content="${brand.name}">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${about}">
${picture !== null && html`<meta property="og:image" content="${picture}">`}
<meta name="twitter:card" content="${brand.shareImageUrl === null ? 'summary' : 'summary_large_image'}">
<link rel="icon" href="${brand.logoUrl ?? markIn(brand.colour)}">`;
}

/** Our own mark in the color of the waitlist. */
function markIn(colour: string | null): string {
  const fill = colour ?? '#0f766e';
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="${fill}"/><path d="M11.5 6h9A2.5 2.5 0 0 1 23 8.5V27H9V8.5A2.5 2.5 0 0 1 11.5 6Z" fill="${readableOn(fill)}"/><circle cx="19.6" cy="18.2" r="1.5" fill="${fill}"/></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}

/** Of a text that operators wrote, in whatever language. */
export function ownAttributes(brand: Brand | undefined): Html {
  return html` dir="auto"${brand?.language != null && html` lang="${brand.language}"`}`;
}

function brandHtml({ name, logoUrl }: Brand): Html {
  const shown =
    logoUrl === null
      ? name
      : html`<img src="${logoUrl}" alt="${name}" height="36" referrerpolicy="no-referrer">`;
  return html`<p class="brand">${shown}</p>`;
}

function policyOf({ brand, script, captchaSources }: BrandedPage, styleHash: string): string {
  const withCaptcha = (directive: keyof CaptchaSources, own: string) =>
    [directive, own, captchaSources?.[directive] ?? ''].filter((part) => part !== '').join(' ');
  const trustedTypes = captchaSources ? [] : ["require-trusted-types-for 'script'", "trusted-types 'none'"];
  return [
    "default-src 'none'",
    withCaptcha('style-src', `'sha256-${styleHash}'`),
    ...(script === undefined
      ? []
      : [withCaptcha('script-src', "'self'"), withCaptcha('connect-src', "'self'"), ...trustedTypes]),
    ...(captchaSources ? [withCaptcha('frame-src', '')] : []),
    `img-src ${brand?.logoUrl ? new URL(brand.logoUrl).origin : 'data:'}`,
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}

function styleOf({ brand, title }: BrandedPage): { text: string; hash: string } {
  return styleFor(brand?.colour ?? null, longestWord(title));
}

const styles = new Map<string, { text: string; hash: string }>();
const MOST_STYLES = 1_000;

/** The color and the size of the title are part of the style sheet, because the policy allows no other styles. */
function styleFor(colour: string | null, letters: number): { text: string; hash: string } {
  const key = `${colour} ${letters}`;
  const known = styles.get(key);
  if (known) return known;
  const own = colour === null ? '' : `:root { --accent: ${colour}; --on: ${readableOn(colour)}; }\n`;
  const size = letters === 0 ? '' : `:root { --letters: ${letters}; }\n`;
  const text = BRANDED_STYLE.replace('/* own */', own + size);
  const made = { text, hash: createHash('sha256').update(text).digest('base64') };
  if (styles.size >= MOST_STYLES) styles.clear();
  styles.set(key, made);
  return made;
}

/** Without spaces, as in Japanese, lines break anywhere. */
const LONG_WORDS = /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{M}\p{N}]{16,}/gu;

/** The length of a word that is too long for a line on a phone, or 0. */
function longestWord(title: string): number {
  return Math.max(0, ...(title.match(LONG_WORDS) ?? []).map((word) => word.length));
}

/** Black or white: one of them always has enough contrast. */
function readableOn(colour: string): string {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? '#000' : '#fff';
}
