import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { DEFAULT_LANGUAGE, textsIn } from '../../languages/languages.ts';
import type { Notice, Texts } from '../../languages/texts.ts';
import { Html, html } from '../docs/html.ts';

const STYLE = `
:root { color-scheme: light dark; --paper: #f4f5f7; --card: #fff; --ink: #16191d; --soft: #59636e; --line: #e3e6ea; --accent: #0f766e; --on: #fff; --danger: #b42318; }
@media (prefers-color-scheme: dark) { :root { --paper: #15181c; --card: #1f2429; --ink: #e8eaed; --soft: #9aa4af; --line: #323940; --accent: #2dd4bf; --on: #08211e; --danger: #f97066; } }
* { box-sizing: border-box; }
body { margin: 0; min-height: 100dvh; display: grid; place-items: center; padding: 1.25rem; background: var(--paper); color: var(--ink); font: 400 1rem/1.6 system-ui, sans-serif; }
main { width: min(28rem, 100%); padding: 2.25rem 2rem; background: var(--card); border: 1px solid var(--line); border-top: 4px solid var(--accent); border-radius: 12px; overflow-wrap: anywhere; }
h1 { margin: 0 0 .75rem; font-size: 1.5rem; line-height: 1.3; text-wrap: balance; word-break: auto-phrase; }
p { margin: 0 0 1.25rem; }
p:last-child { margin: 0; }
.soft { color: var(--soft); font-size: .9375rem; }
form { margin: 0 0 1rem; }
form:last-child { margin: 0; }
label { font-weight: 600; }
input { width: 100%; margin-top: .25rem; padding: .7rem .8rem; font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--soft); border-radius: 8px; }
input:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
button { width: 100%; padding: .8rem 1rem; font: inherit; font-weight: 600; color: var(--on); background: var(--accent); border: 1px solid transparent; border-radius: 8px; cursor: pointer; }
button.quiet { color: var(--danger); background: none; border-color: currentcolor; }
button:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
`;

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** Nothing is loaded, no scripts run, and forms can only be sent here. */
const HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${STYLE_HASH}'`,
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  // The URL of such a page is its reader's secret.
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex',
};

export interface Page {
  status?: number;
  title: string;
  content: Html;
}

export function sendPage(
  reply: FastifyReply,
  { status = 200, title, content }: Page,
  { tag, dir }: Texts = textsIn(DEFAULT_LANGUAGE),
): string {
  reply
    .code(status)
    .type('text/html; charset=utf-8')
    .headers({ ...HEADERS, 'content-language': tag, vary: 'accept-language' })
    .serializer((page: string) => page);
  return html`<!doctype html>
<html lang="${tag}" dir="${dir}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${new Html(STYLE)}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`.text;
}

/** A notice without anything to do. */
export function noticePage({ title, text }: Notice, status = 200): Page {
  return { status, title, content: html`<p>${text}</p>` };
}

/** The text as markup, with the value that it contains in bold. */
export function withStrong(text: (value: string) => string, value: string): Html {
  const [before = '', ...after] = text(VALUE_PLACE).split(VALUE_PLACE);
  return html`${before}${after.map((part) => html`<strong>${value}</strong>${part}`)}`;
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
