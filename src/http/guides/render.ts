import path from 'node:path';
import { Marked, type RendererObject, type Tokens } from 'marked';
import { Html, html } from '../docs/html.ts';
import type { Source } from './contents.ts';

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

/** A heading with the plain text below it. */
export interface Section {
  id: string;
  title: string;
  depth: number;
  text: string;
}

/** As GitHub makes anchors, so that links work in both places. */
function slugOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\w -]/g, '')
    .replaceAll(' ', '-');
}

/** A title that occurs again gets a number. */
function slugger(): (title: string) => string {
  const seen = new Map<string, number>();
  return (title) => {
    const slug = slugOf(title);
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  };
}

function titleOf(heading: string): string {
  return heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[`*]/g, '');
}

/** Cheaper than rendering: the search needs the sections of all pages. The first one is the page itself. */
export function sectionsIn(markdown: string): Section[] {
  const slugFor = slugger();
  const found: { depth: number; title: string; prose: string[]; code: string[] }[] = [];
  let isCode = false;
  for (const line of markdown.split('\n')) {
    if (line.startsWith('```')) isCode = !isCode;
    const [, marks = '', heading = ''] = (!isCode && /^(#{1,6}) (.+)$/.exec(line)) || [];
    if (marks) found.push({ depth: marks.length, title: titleOf(heading), prose: [], code: [] });
    else found.at(-1)?.[isCode ? 'code' : 'prose'].push(line);
  }
  // Code comes last, because an excerpt of prose says more.
  return found.map(({ depth, title, prose, code }) => ({
    ...{ id: slugFor(title), title, depth },
    text: plain([...prose, ...code].join('\n')),
  }));
}

/** Without markup, in one line. */
function plain(markdown: string): string {
  return markdown
    .replace(/^```.*$/gm, '')
    .replace(/^\|[ :|-]+\|$/gm, '')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/<\/?[a-z][^>]*>/g, '')
    .replace(/[`*]/g, '')
    .replace(/\||^[>-] /gm, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

const FENCED = /(^```.*?^```$)/ms;
const LINK = /\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g;

/**
 * The text with links that work where the site has the page, `queue.md#order`. What the site does not have, such as a
 * directory of the repository, is only named.
 */
export function withSiteLinks(text: string, file: string, pages: readonly Source[]): string {
  return text
    .split(FENCED)
    .map((part) =>
      part.startsWith('```')
        ? part
        : part.replace(LINK, (_, label: string, target: string) => {
            const found = siteLink(target, file, pages);
            return found === undefined ? label : `[${label}](${found})`;
          }),
    )
    .join('');
}

function siteLink(target: string, file: string, pages: readonly Source[]): string | undefined {
  if (/^(https?:|#)/.test(target)) return target;
  const [name = '', anchor] = target.split('#');
  const named = path.posix.join(path.posix.dirname(file), name);
  const [, picture] = /^docs\/((?:images|emails)\/.+)$/.exec(named) ?? [];
  if (picture !== undefined) return picture;
  const page = pages.find((each) => each.file === named && hasAnchor(each, anchor));
  return page && `${page.slug}.md${anchor === undefined ? '' : `#${anchor}`}`;
}

/** Of a file that is shown in parts, only some sections are there. */
function hasAnchor({ part }: Source, anchor: string | undefined): boolean {
  return !part || anchor === undefined || part.sections.some((title) => slugOf(title) === anchor);
}
