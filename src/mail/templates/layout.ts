import type { Texts } from '../../languages/texts.ts';
import { FONT, type Look } from './markdown-html.ts';
import { escapeHtml } from './values.ts';

interface Page extends Look {
  texts: Texts;
  title: string;
  /** Shown next to the subject by mail clients. */
  preview: string;
  name: string;
  logoUrl: string | null;
  content: string;
  footer: string | null;
  reason: string;
  /** The person's status page. */
  statusUrl: string | null;
  leaveLink: string | null;
}

/** No single word on the last line of a heading, no break inside a Japanese phrase, and no line that is wider than a phone. */
const LINES = `.text { overflow-wrap: anywhere; text-wrap: pretty; word-break: auto-phrase }
:is(h1, h2, h3).text { text-wrap: balance }
.text:lang(de) { hyphens: auto; hyphenate-limit-chars: 14 6 6 }`;

const DARK = `@media (prefers-color-scheme: dark) {
.page, .page > tbody > tr > td { background: #15181c !important }
.card { background: #1f2429 !important; border-left-color: #323940 !important; border-right-color: #323940 !important; border-bottom-color: #323940 !important }
.text, .name { color: #e8eaed !important }
.small, .small a { color: #9aa4af !important }
.link { color: #7dd3c8 !important }
.code { background: #2b3138 !important; color: #e8eaed !important }
.rule { border-color: #323940 !important }
}
@media (max-width: 620px) {
.card > tbody > tr > td { padding: 28px 22px 12px !important }
.edge { padding: 20px 12px !important }
}`;

/** All mail clients support tables and inline styles. The style sheet is for those that support more. */
export function layOut(page: Page): string {
  const { colour, content, texts } = page;
  const links = [
    { url: page.statusUrl, words: texts.mail.seeStatus },
    { url: page.leaveLink, words: texts.mail.leave },
  ].map(({ url, words }) => (url === null ? '' : `<br>${smallLink(url, words)}`));
  const footer = page.footer === null ? '' : `${escapeHtml(page.footer).replace(/\r?\n/g, '<br>')}<br><br>`;
  return `<!doctype html>
<html lang="${texts.tag}" dir="${texts.dir}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escapeHtml(page.title)}</title>
<style>:root { color-scheme: light dark; supported-color-schemes: light dark }
${LINES}
${DARK}</style>
</head>
<body style="margin:0;padding:0;-webkit-text-size-adjust:100%">
<div style="display:none;max-height:0;overflow:hidden;mso-hide:all">${escapeHtml(page.preview)}${'&#847;&zwnj;&nbsp;'.repeat(12)}</div>
<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" border="0" style="background:#f4f5f7"><tr><td class="edge" align="center" style="padding:36px 16px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:560px">
<tr><td style="padding:0 4px 18px">${brand(page)}</td></tr>
<tr><td>
<table role="presentation" class="card" width="100%" cellpadding="0" cellspacing="0" border="0" style="background:#ffffff;border:1px solid #e3e6ea;border-top:4px solid ${colour};border-radius:10px;border-collapse:separate"><tr><td dir="${page.dir}" style="padding:36px 36px 20px">
${content}
</td></tr></table>
</td></tr>
<tr><td class="small" style="padding:20px 4px 0;font:400 13px/1.6 ${FONT};color:#6a737d">${footer}${escapeHtml(page.reason)}${links.join('')}</td></tr>
</table>
</td></tr></table>
</body>
</html>
`;
}

function smallLink(url: string, words: string): string {
  return `<a href="${escapeHtml(url)}" style="color:#6a737d;text-decoration:underline">${escapeHtml(words)}</a>`;
}

function brand({ logoUrl, name }: Page): string {
  if (logoUrl === null)
    return `<span class="name" style="font:700 17px/1.4 ${FONT};color:#16191d">${escapeHtml(name)}</span>`;
  return `<img src="${escapeHtml(logoUrl)}" alt="${escapeHtml(name)}" height="36" style="display:block;height:36px;width:auto;max-width:220px;border:0;font:700 17px/36px ${FONT}">`;
}

/** White or nearly black, whichever is easier to read on the color. */
export function readableOn(colour: string): string {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  return luminance > 0.36 ? '#16191d' : '#ffffff';
}

const TAGS = /\{\{.*?\}\}|\{%.*?%\}/gs;
const RIGHT_TO_LEFT =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u;

/** By the first letter that its author wrote. What people signed up with does not turn it around. */
export function directionOf(template: string): 'ltr' | 'rtl' {
  const [letter = ''] = /\p{L}/u.exec(template.replace(TAGS, '')) ?? [];
  return RIGHT_TO_LEFT.test(letter) ? 'rtl' : 'ltr';
}
