import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import type { Texts } from '../../languages/texts.ts';
import { Html, html } from '../docs/html.ts';

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

/** Phone first. Colors of text and lines never depend on the waitlist's color, so they stay readable. */
export const BRANDED_STYLE = `
:root { color-scheme: light dark; --paper: #f4f5f7; --card: #fff; --ink: #16191d; --soft: #59636e; --line: #d5dae0; --accent: #0f766e; --on: #fff; --danger: #b42318; }
@media (prefers-color-scheme: dark) { :root { --paper: #15181c; --card: #1f2429; --ink: #e8eaed; --soft: #a3adb8; --line: #3b434b; --accent: #2dd4bf; --on: #08211e; --danger: #ff8a80; } }
/* own */
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body { margin: 0; min-height: 100dvh; display: grid; place-items: center; padding: 1rem; background: var(--paper); color: var(--ink); font: 400 1rem/1.6 system-ui, sans-serif; }
main { width: min(30rem, 100%); padding: 1.75rem 1.25rem; background: var(--card); border: 1px solid var(--line); border-top: 4px solid var(--accent); border-radius: 12px; overflow-wrap: anywhere; }
@media (min-width: 30rem) { main { padding: 2.25rem 2rem; } }
/* A long word gets a line of its own: a letter is about .7 of the size wide, and 5rem are beside it. */
h1 { margin: 0 0 .75rem; font-size: clamp(1.0625rem, (min(100vw, 30rem) - 5rem) / (var(--letters, 1) * .7), 1.5rem); line-height: 1.3; text-wrap: balance; word-break: auto-phrase; }
:is(h1, p):lang(de) { hyphens: auto; hyphenate-limit-chars: 14 6 6; }
h2 { margin: 1.75rem 0 .5rem; font-size: 1.125rem; line-height: 1.3; }
p { margin: 0 0 1.25rem; text-wrap: pretty; word-break: auto-phrase; }
.brand { margin: 0 0 1.25rem; font-weight: 700; }
.brand img { display: block; height: 36px; max-width: 100%; object-fit: contain; object-position: left; }
.soft { color: var(--soft); font-size: .9375rem; }
.text { white-space: pre-line; }
.position { margin: 0; font-size: 3rem; font-weight: 700; line-height: 1.1; font-variant-numeric: tabular-nums; }
.label { margin: 0; color: var(--soft); font-size: .9375rem; }
.figures { display: flex; flex-wrap: wrap; gap: 1rem 2.5rem; margin: 0 0 1.25rem; }
.notice { padding: .75rem 1rem; border: 1px solid var(--line); border-left: 4px solid var(--accent); border-radius: 8px; }
.notice.bad { border-left-color: var(--danger); }
/* Not before the script had time to load. */
.late { animation: late 0s 2s backwards; }
@keyframes late { from { visibility: hidden; } }
form { margin: 0 0 1rem; }
:is(main, doorlist-form, .apart) > :last-child, doorlist-form > :is(.soft, .late) { margin-bottom: 0; }
.field { margin: 0 0 1rem; }
label { display: block; font-weight: 600; }
label .soft { font-weight: 400; }
.check { display: flex; gap: .625rem; align-items: flex-start; font-weight: 400; }
.check input { flex: none; width: 1.25rem; height: 1.25rem; margin: .2rem 0 0; accent-color: var(--accent); }
.check input[aria-invalid=true]:not(:focus-visible) { outline: 2px solid var(--danger); }
.problem { margin: .25rem 0 0; color: var(--danger); font-size: .9375rem; }
.check + .problem { margin-left: 1.875rem; }
input:not([type=checkbox]), select { display: block; width: 100%; min-height: 3.125rem; margin-top: .25rem; padding: .7rem .8rem; font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--soft); border-radius: 8px; }
::placeholder { color: inherit; opacity: .65; }
/* Browsers put their own arrow at the very edge. */
select { appearance: none; padding-right: 2.25rem; text-overflow: ellipsis; }
.choice { display: block; position: relative; }
.choice::after { content: ""; position: absolute; inset: auto 1rem 1.375rem auto; padding: .2rem; border: solid; border-width: 0 2px 2px 0; rotate: 45deg; pointer-events: none; }
input[aria-invalid=true]:not([type=checkbox]), select[aria-invalid=true] { border-color: var(--danger); }
.trap { position: absolute; left: -9999px; }
button, .button { display: block; width: 100%; padding: .8rem 1rem; font: inherit; font-weight: 600; text-align: center; text-decoration: none; color: var(--on); background: var(--accent); border: 1px solid #8885; border-radius: 8px; cursor: pointer; }
button.quiet { font-size: 1rem; color: var(--danger); background: none; border-color: currentcolor; }
:is(a, button, input, select, summary):focus-visible { outline: 3px solid var(--ink); outline-offset: 2px; }
a { color: inherit; }
.link { display: block; margin: .25rem 0 .75rem; padding: .7rem .8rem; font: inherit; background: var(--paper); border: 1px solid var(--line); border-radius: 8px; user-select: all; }
button.second { color: inherit; background: none; border-color: var(--line); }
.actions { display: flex; gap: .5rem; margin: 0 0 .75rem; }
.networks { display: flex; flex-wrap: wrap; gap: .5rem; margin: 0 0 1.25rem; padding: 0; list-style: none; }
.networks a { display: block; padding: .5rem .75rem; border: 1px solid var(--line); border-radius: 999px; text-decoration: none; }
.apart { margin: 1.75rem 0 0; border-top: 1px solid var(--line); padding-top: 1rem; font-size: .9375rem; }
.apart :is(a, .plain) { color: var(--soft); }
/* Links, and buttons that look like links, with the first on a line of its own. */
.ways { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; }
.ways form { margin: 0; }
.ways > :first-child { flex-basis: 100%; }
button.plain { width: auto; padding: 0; font-weight: 400; font-size: inherit; text-decoration: underline; background: none; border: 0; }
main:has(doorlist-form[state]) > :is(h1, .text, .notice) { display: none; }
doorlist-form { display: block; --doorlist-accent: var(--accent); --doorlist-on-accent: var(--on); --doorlist-border: var(--soft); --doorlist-background: var(--paper); --doorlist-text: var(--ink); --doorlist-soft: var(--soft); --doorlist-danger: var(--danger); }
`;
