/** Text that is safe to insert into a page unescaped. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Value = Html | string | number | undefined | false | readonly Value[];

/** Inserts values into markup, and escapes everything that is not markup already. */
export function html(strings: TemplateStringsArray, ...values: Value[]): Html {
  return new Html(strings.reduce((text, part, index) => text + toText(values[index - 1]) + part));
}

function toText(value: Value): string {
  if (value === undefined || value === false) return '';
  if (value instanceof Html) return value.text;
  if (typeof value === 'object') return value.map(toText).join('');
  return escapeText(String(value));
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

/** The subset of Markdown that our descriptions use: `##` headings, tables, paragraphs, and inline code. */
export function markdown(text: string): Html[] {
  return text.split(/\n{2,}/).map((block) => {
    if (block.startsWith('## ')) return html`<h2 id="${slug(block.slice(3))}">${inline(block.slice(3))}</h2>`;
    if (block.startsWith('|')) return table(block);
    return html`<p>${inline(block)}</p>`;
  });
}

export function headings(text: string): { id: string; title: string }[] {
  return [...text.matchAll(/^## (.+)$/gm)].map(([, title = '']) => ({ id: slug(title), title }));
}

export function inline(text: string): Html {
  const parts = text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part));
  return html`${parts}`;
}

function table(block: string): Html {
  const [head = [], , ...rows] = block.split('\n').map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
  return html`<table class="plain">
<thead><tr>${head.map((cell) => html`<th scope="col">${inline(cell)}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${row.map((cell) => html`<td>${inline(cell)}</td>`)}</tr>`)}</tbody>
</table>`;
}

export function slug(title: string): string {
  return title.toLowerCase().replace(/[^a-z0-9]+/g, '-');
}

const TOKENS = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\d[\d.eE+-]*/g;

/** JSON with syntax highlighting. */
export function json(value: unknown): Html {
  const text = JSON.stringify(value, null, 2);
  let at = 0;
  const parts: Html[] = [];
  for (const match of text.matchAll(TOKENS)) {
    const [token, string, colon] = match;
    parts.push(html`${text.slice(at, match.index)}`);
    if (colon) parts.push(html`<span class="key">${string}</span>${colon}`);
    else parts.push(html`<span class="${string ? 'string' : 'literal'}">${token}</span>`);
    at = match.index + token.length;
  }
  return html`${parts}${text.slice(at)}`;
}
