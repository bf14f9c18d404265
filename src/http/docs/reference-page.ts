import { BASE } from './curl.ts';
import type { Document } from './document.ts';
import { type Html, headings, html, inline, markdown, slug } from './html.ts';
import { type Model, modelOf } from './model.ts';
import { eventArticle, fieldTable, methodBadge, operationArticle } from './pieces.ts';
import { STYLE } from './reference-style.ts';
import { SCRIPT, securityPolicy, shell } from './shell.ts';

export const CONTENT_SECURITY_POLICY = securityPolicy({ style: STYLE, script: SCRIPT }, [
  'img-src data:',
  "form-action 'none'",
]);

/** With more operations than this, the groups in the contents are folded. */
const FOLD_FROM = 30;

/** Another page of the same installation. */
export interface Related {
  title: string;
  path: string;
}

interface Surroundings {
  /** Where the document itself is served. */
  source: string;
  /** The other reference. */
  related?: Related | undefined;
  /** The pages of the documentation. */
  guides?: readonly Related[];
}

/** Renders a document. The returned function inserts the installation's address, which only a request knows. */
export function renderPage(document: Document, surroundings: Surroundings): (base: string) => string {
  const pieces = page(modelOf(document), surroundings).text.split(BASE);
  return (base) => pieces.join(html`${base}`.text);
}

function page(model: Model, surroundings: Surroundings): Html {
  return shell({
    title: `${model.title} reference`,
    style: STYLE,
    script: SCRIPT,
    body: html`<header class="bar"><a class="brand" href="#top">${model.title}</a>
<button type="button" popovertarget="contents">Contents</button></header>
<div class="layout">
${navigation(model, surroundings)}
<main id="content">
${introduction(model, surroundings)}
${model.sections.map(section)}
${model.events && eventSection(model.events)}
${objects(model)}
</main>
</div>`,
  });
}

function navigation(
  { title, version, about, sections, events, objects }: Model,
  { guides = [] }: Surroundings,
): Html {
  const count = sections.reduce((sum, { operations }) => sum + operations.length, 0);
  const group = (name: string, items: Html[]) => {
    const list = html`<ul>${items.map((item) => html`<li>${item}</li>`)}</ul>`;
    return count < FOLD_FROM
      ? html`<h2>${name}</h2>${list}`
      : html`<details><summary><h2>${name}</h2></summary>${list}</details>`;
  };
  return html`<nav id="contents" popover aria-label="Contents">
<a class="brand" href="#top">${title} <span>${version}</span></a>
${
  guides.length > 0 &&
  html`<details class="guides"><summary><h2>Documentation</h2></summary>
<ul>${guides.map((guide) => html`<li><a href="${guide.path}">${guide.title}</a></li>`)}</ul></details>`
}
${group(
  'Introduction',
  headings(about).map((heading) => html`<a href="#${heading.id}">${heading.title}</a>`),
)}
${sections.map((each) =>
  group(
    each.title,
    each.operations.map(
      ({ id, method, summary }) => html`<a href="#${id}">${summary} ${methodBadge(method)}</a>`,
    ),
  ),
)}
${
  events &&
  group('Events', [
    html`<a href="#event-envelope">Envelope</a>`,
    ...events.kinds.map(({ id, kind }) => html`<a href="#${id}">${kind}</a>`),
  ])
}
${group('Objects', [
  ...objects.map(({ name, id }) => html`<a href="#${id}">${name}</a>`),
  html`<a href="#headers">Response headers</a>`,
])}
</nav>`;
}

function introduction({ title, about }: Model, { source, related, guides = [] }: Surroundings): Html {
  const [start] = guides;
  const [lead = '', ...rest] = about.split('\n\n');
  return html`<section class="introduction">
<h1>${title}</h1>
<p class="lead">${inline(lead)}</p>
<dl class="facts">
<div><dt>Base address</dt><dd><code>${BASE}</code></dd></div>
<div><dt>OpenAPI 3.1</dt><dd><a href="${source}">${source.split('/').at(-1)}</a></dd></div>
${
  related &&
  html`<div><dt>See also</dt><dd><a href="${related.path}">${related.title}</a></dd></div>
`
}${
  start &&
  html`<div><dt>Documentation</dt><dd><a href="${start.path}">${start.title}</a></dd></div>
`
}</dl>
${markdown(rest.join('\n\n'))}
</section>`;
}

function sectionId(title: string): string {
  return `section-${slug(title)}`;
}

function section({ title, description, operations }: Model['sections'][number]): Html {
  const id = sectionId(title);
  return html`<section aria-labelledby="${id}">
<header class="section"><h2 id="${id}">${title}</h2><p>${inline(description)}</p></header>
${operations.map(operationArticle)}
</section>`;
}

function eventSection({ headers, envelope, kinds }: NonNullable<Model['events']>): Html {
  return html`<section aria-labelledby="section-events">
<header class="section"><h2 id="section-events">Events</h2>
<p>What Doorlist sends to your webhook endpoints. Deliveries follow Standard Webhooks.</p></header>
<article id="event-envelope">
<h3><a href="#event-envelope">Envelope</a></h3>
<p>Every event has the same headers and outer fields. Verify the signature of the raw body before you use it.
A delivery is retried for up to three days until you return a 2xx status.</p>
<h4>Headers</h4>
${fieldTable({ label: 'Headers of events', heading: 'Header', fields: headers })}
<h4>Body</h4>
${fieldTable({ label: 'Body of events', heading: 'Field', fields: envelope, mark: 'optional' })}
</article>
${kinds.map(eventArticle)}
</section>`;
}

function objects(model: Model): Html {
  return html`<section aria-labelledby="section-objects">
<header class="section"><h2 id="section-objects">Objects</h2><p>Objects used in several places.</p></header>
${model.objects.map(
  ({ name, id, description, fields }) => html`<article id="${id}">
<h3><a href="#${id}">${name}</a></h3>
<p>${inline(description)}</p>
${fieldTable({ label: name, heading: 'Field', fields, mark: 'optional' })}
</article>`,
)}
<article id="headers">
<h3><a href="#headers">Response headers</a></h3>
<p>Each response above lists the headers it includes.</p>
${fieldTable({ label: 'Response headers', heading: 'Header', fields: model.headers })}
</article>
</section>`;
}
