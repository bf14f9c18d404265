import type { Token, Tokens } from 'marked';
import { escapeHtml, type Marks } from './values.ts';

export interface Look {
  colour: string;
  /** A readable text color on `colour`. */
  onColour: string;
  /** Of the text. */
  dir: 'ltr' | 'rtl';
}

export const FONT = "-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";
const PARAGRAPH = `margin:0 0 16px;font:400 16px/1.6 ${FONT}`;
const HEADING = ['26px/1.3', '20px/1.35', '17px/1.4'];
const CODE = 'font:400 14px/1.6 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace';

/** Not all mail clients know sides by the direction of the text. */
function indent(pixels: number, { dir }: Look): string {
  return dir === 'rtl' ? `padding:0 ${pixels}px 0 0` : `padding:0 0 0 ${pixels}px`;
}

/** Mail clients support inline styles and little else. Tokens that are not listed here are shown as text. */
export function toHtml(tokens: readonly Token[], marks: Marks, look: Look): string {
  const anchor = (url: string, inner: string) =>
    `<a href="${escapeHtml(url)}" class="link" style="color:${look.colour};text-decoration:underline;word-break:break-word">${inner}</a>`;
  const text = (raw: string) => marks.inHtml(raw, (url) => anchor(url, escapeHtml(url)));
  const inline = (some: readonly Token[] = []): string => some.map(one).join('');
  const one = (token: Token): string => {
    switch (token.type) {
      case 'strong':
        return `<strong>${inline(token.tokens)}</strong>`;
      case 'em':
        return `<em>${inline(token.tokens)}</em>`;
      case 'codespan':
        return `<code class="code" style="${CODE};background:#f1f3f5;padding:3px 6px;border-radius:4px;word-break:break-all">${text(token.text)}</code>`;
      case 'br':
        return '<br>';
      case 'link': {
        const url = marks.inAddress(token.href);
        return url === undefined
          ? inline(token.tokens)
          : anchor(url, inline(token.tokens).replace(/<\/?a[^>]*>/g, ''));
      }
      case 'image':
        return text(token.text);
      case 'text':
        return token.tokens ? inline(token.tokens) : text(token.text);
      case 'escape':
        return text(token.text);
      default:
        return text(token.raw);
    }
  };
  const block = (token: Token): string => {
    switch (token.type) {
      case 'space':
        return '';
      case 'heading':
        return `<h${token.depth} class="text" style="margin:0 0 16px;font:700 ${HEADING[token.depth - 1] ?? HEADING[2]} ${FONT};color:#16191d">${inline(token.tokens)}</h${token.depth}>`;
      case 'paragraph':
        return (
          button(token as Tokens.Paragraph) ??
          `<p class="text" style="${PARAGRAPH};color:#30363d">${inline(token.tokens)}</p>`
        );
      case 'list':
        return list(token as Tokens.List);
      case 'blockquote':
        return `<div style="margin:0 0 16px;${indent(16, look)};border-${look.dir === 'rtl' ? 'right' : 'left'}:3px solid ${look.colour}">${(token.tokens ?? []).map(block).join('')}</div>`;
      case 'hr':
        return '<hr class="rule" style="margin:24px 0;border:0;border-top:1px solid #e3e6ea">';
      default:
        return `<p class="text" style="${PARAGRAPH};color:#30363d">${text(token.raw.trim())}</p>`;
    }
  };
  const list = ({ ordered, items }: Tokens.List): string => {
    const tag = ordered ? 'ol' : 'ul';
    const rows = items.map(
      (item) =>
        `<li style="margin:0 0 6px">${item.tokens.map((inner) => (inner.type === 'text' ? one(inner) : block(inner))).join('')}</li>`,
    );
    return `<${tag} class="text" style="${PARAGRAPH};color:#30363d;${indent(24, look)}">${rows.join('')}</${tag}>`;
  };
  /** A link on its own line is the main action of the mail. */
  const button = (token: Tokens.Paragraph): string | undefined => {
    const [link, ...rest] = token.tokens;
    if (link?.type !== 'link' || rest.length > 0 || link.raw.startsWith('http')) return undefined;
    const url = marks.inAddress(link.href);
    if (url === undefined) return undefined;
    return `<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:8px 0 24px"><tr><td style="border-radius:8px;background:${look.colour}" bgcolor="${look.colour}"><a href="${escapeHtml(url)}" style="display:inline-block;padding:13px 26px;font:600 16px/1.25 ${FONT};color:${look.onColour};text-decoration:none;border-radius:8px">${inline(link.tokens)}</a></td></tr></table>`;
  };
  return tokens.map(block).join('\n');
}
