import { Marked, type RendererObject, type Tokens } from 'marked';
import { Html, html } from '../docs/html.ts';
import { slugger, titleOf } from './headings.ts';

/** Our own pages: their markup is trusted. Links lead to the rendered pages. */
export function renderMarkdown(markdown: string): Html {
  // Without links for bare addresses: those in our text are examples.
  const marked = new Marked({ gfm: true, renderer: createRenderer(), tokenizer: { url: () => undefined } });
  return new Html(marked.parse(markdown, { async: false }));
}

function createRenderer(): RendererObject {
  const slugFor = slugger();
  return {
    heading({ tokens, depth, text }) {
      const inner = new Html(this.parser.parseInline(tokens));
      const id = slugFor(titleOf(text));
      const tag = new Html(`h${depth}`);
      return html`<${tag} id="${id}"><a href="#${id}">${inner}</a></${tag}>\n`.text;
    },
    code({ text, lang = '' }) {
      const label = labelOf(lang.split(' ')[0] ?? '');
      return html`<figure class="sample"><pre tabindex="0" role="group" aria-label="${label}"><code>${text}</code></pre></figure>\n`
        .text;
    },
    table({ header, rows }) {
      const inline = ({ tokens }: Tokens.TableCell) => new Html(this.parser.parseInline(tokens));
      const labels = header.map(({ text }) => titleOf(text));
      return html`<div class="table" tabindex="0" role="group" aria-label="Table"><table>
<thead><tr>${header.map((cell) => html`<th scope="col">${inline(cell)}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${row.map((cell, index) => html`<td data-label="${labels[index] ?? ''}">${inline(cell)}</td>`)}</tr>\n`)}</tbody>
</table></div>\n`.text;
    },
    link({ href, tokens }) {
      const inner = new Html(this.parser.parseInline(tokens));
      return html`<a href="${href.replace(/^([\w-]+)\.md(?=#|$)/, '$1')}">${inner}</a>`.text;
    },
    image: ({ href, text }) => html`<img src="${href}" alt="${text}" loading="lazy">`.text,
  };
}

function labelOf(language: string): string {
  return { '': 'Example', text: 'Output', sh: 'Commands' }[language] ?? `Example in ${language}`;
}
