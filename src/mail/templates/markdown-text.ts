import { Lexer, type Token, type Tokens } from 'marked';
import type { Marks } from './values.ts';

export function parseMarkdown(text: string): Token[] {
  return Lexer.lex(text, { gfm: true });
}

/** The plain-text part of a mail. Links show their URL. */
export function toText(tokens: readonly Token[], marks: Marks): string {
  const inline = (some: readonly Token[] = []): string => some.map(one).join('');
  const one = (token: Token): string => {
    switch (token.type) {
      case 'br':
        return '\n';
      case 'link': {
        const words = inline(token.tokens);
        const url = marks.inAddress(token.href);
        if (url === undefined || url === words) return words;
        return `${words}: ${url}`;
      }
      case 'strong':
      case 'em':
        return inline(token.tokens);
      case 'text':
        return token.tokens ? inline(token.tokens) : marks.inText(token.text);
      case 'codespan':
      case 'escape':
      case 'image':
        return marks.inText(token.text);
      default:
        return marks.inText(token.raw);
    }
  };
  const block = (token: Token): string => {
    switch (token.type) {
      case 'space':
        return '';
      case 'heading':
      case 'paragraph':
        return inline(token.tokens);
      case 'list': {
        const { ordered, items } = token as Tokens.List;
        return items
          .map(
            (item, index) =>
              `${ordered ? `${index + 1}.` : '-'} ${item.tokens.map((inner) => (inner.type === 'text' ? one(inner) : block(inner))).join('\n')}`,
          )
          .join('\n');
      }
      case 'blockquote':
        return (token.tokens ?? []).map(block).filter(Boolean).join('\n\n').replace(/^/gm, '> ');
      case 'hr':
        return '---';
      default:
        return marks.inText(token.raw.trim());
    }
  };
  return tokens.map(block).filter(Boolean).join('\n\n');
}
