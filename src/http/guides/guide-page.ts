import { type Html, html } from '../docs/html.ts';
import type { Related } from '../docs/reference-page.ts';
import { STYLE } from '../docs/reference-style.ts';
import { COMMON_SCRIPT, securityPolicy, shell } from '../docs/shell.ts';
import { type Found, QUERY_CHARACTERS_MAX, RESULTS_MAX } from './search.ts';
import type { GuidePage, Site } from './site.ts';

/** Those of the reference, and what only text needs. */
export const GUIDE_STYLE = `${STYLE}
.columned { display: grid; grid-template-columns: minmax(0, 46rem) 13rem; gap: 3.5rem; align-items: start; }
.guide h1 a, .guide h2 a, .guide h4 a { color: inherit; text-decoration: none; }
.guide h2 a:hover::after, .guide h4 a:hover::after { content: ' #'; color: var(--soft); }
.guide h2 { font-size: 1.375rem; letter-spacing: -.01em; margin: 2.75rem 0 .75rem; }
.guide h3 { font-size: 1.0625rem; margin: 2rem 0 .6rem; }
.guide ul, .guide ol { margin: 0 0 1em; padding-left: 1.35rem; }
.guide li { margin-bottom: .3em; }
.guide li code { font-size: .85em; overflow-wrap: anywhere; }
.guide img { display: block; max-width: 100%; height: auto; margin: 1.25rem 0; border: 1px solid var(--line); border-radius: 8px; }
.guide .sample { margin: 0 0 1.1rem; }
.guide .sample pre { border-top: 0; }
.guide .table { overflow-x: auto; margin: 0 0 1.25rem; }
.guide .table code { overflow-wrap: normal; }
.guide td:last-child { min-width: 12rem; }
.outline { position: sticky; top: 2.5rem; max-height: calc(100vh - 5rem); overflow-y: auto; font-size: .8125rem; line-height: 1.45; }
.outline h2 { font-size: .75rem; font-weight: 600; color: var(--soft); margin: 0 0 .5rem; }
.outline ul { list-style: none; margin: 0; padding: 0; }
.outline a { display: block; padding: .2rem 0; color: var(--soft); text-decoration: none; }
.outline a:hover { color: var(--ink); }
.onward { display: flex; flex-wrap: wrap; justify-content: space-between; gap: .5rem 2rem; margin-top: 3.5rem; padding-top: 1rem;
  border-top: 1px solid var(--line); font-size: .875rem; }
.search { display: flex; gap: .4rem; }
.search input { flex: 1; min-width: 0; font: inherit; padding: .35rem .6rem; color: var(--ink); background: var(--paper);
  border: 1px solid var(--control); border-radius: 6px; }
.search button { font-size: .8125rem; padding: .35rem .6rem; color: var(--ink); border-color: var(--control); border-radius: 6px; }
nav .search { margin: 1rem 0 0; }
main .search { max-width: 32rem; margin: 0 0 2rem; font-size: 1rem; }
.results { list-style: none; margin: 0; padding: 0; max-width: 46rem; }
.results li { padding: .9rem 0; border-top: 1px solid var(--line); }
.results a { font-weight: 550; }
.results span { color: var(--soft); font-size: .8125rem; }
.results p { margin: .25rem 0 0; font-size: .9rem; overflow-wrap: anywhere; }
mark { background: none; color: inherit; font-weight: 650; }
:root { --control: #848f8c; }
@media (prefers-color-scheme: dark) { :root { --control: #6b7875; } }
@media (max-width: 75rem) { .columned { display: block; max-width: 46rem; } .outline { display: none; } }
@media (max-width: 52rem) {
  .guide thead { display: none; }
  .guide tr { display: block; border-top: 1px solid var(--line); padding: .7rem 0; }
  .guide td { display: block; min-width: 0; padding: 0; border: 0; }
  .guide td + td { margin-top: .3rem; }
  .guide td:first-child { font-weight: 600; }
  .guide td + td:not(:empty)::before { content: attr(data-label); display: block; font-size: .75rem; color: var(--soft); }
  .guide .table code { overflow-wrap: anywhere; }
  .guide .copy { position: static; display: block; margin: 0 .5rem .5rem auto; }
}
@media print { .outline, .search, .onward { display: none; } }
`;

export const GUIDE_POLICY = securityPolicy({ style: GUIDE_STYLE, script: COMMON_SCRIPT }, [
  "img-src 'self' data:",
  "form-action 'self'",
]);

/** With this many headings, a page gets an outline. */
const OUTLINE_FROM = 3;

export interface Surroundings {
  site: Site;
  /** The path of the public URL. */
  base: string;
  references: readonly Related[];
}

export function guidePage(page: GuidePage, around: Surroundings): string {
  const { site, base } = around;
  const next = site.pages[site.pages.indexOf(page) + 1];
  return frame(around, {
    title: page.title,
    current: page.slug,
    head: html`<meta name="description" content="${page.title}: ${page.about}">
<link rel="alternate" type="text/markdown" href="${base}/docs/${page.slug}.md">
`,
    main: html`<div class="columned"><div class="guide">
${page.content()}
<p class="onward"><a href="${base}/docs/${page.slug}.md">This page as Markdown</a>${
      next && html`<span>Next: <a href="${base}/docs/${next.slug}">${next.title}</a></span>`
    }</p>
</div>
${outline(page)}
</div>`,
  });
}

/** Without a question, the list of all pages. */
export function searchPage(query: string, found: readonly Found[], around: Surroundings): string {
  const asked = query.trim() !== '';
  return frame(around, {
    title: asked ? `Search: ${query}` : 'Documentation',
    head: html`<meta name="robots" content="noindex">
`,
    main: html`<h1>${asked ? 'Search' : 'Documentation'}</h1>
${searchForm(around.base, 'main', query)}
${asked ? results(query, found) : allPages(around)}`,
  });
}

function results(query: string, found: readonly Found[]): Html {
  if (found.length === 0)
    return html`<p role="status">Nothing found for “${query}”. Try fewer or shorter words.</p>`;
  return html`<p role="status">${countOf(found)} for “${query}”</p>
<ol class="results">${found.map(
    ({ href, title, page, excerpt }) => html`<li><a href="${href}">${title}</a> ${
      title !== page && html`<span>${page}</span>`
    }
<p>${excerpt.map((piece, index) => (index % 2 === 1 ? html`<mark>${piece}</mark>` : piece))}</p></li>
`,
  )}</ol>`;
}

/** There may be more than are shown. */
function countOf({ length }: readonly Found[]): string {
  if (length === RESULTS_MAX) return `The best ${RESULTS_MAX} results`;
  return `${length} ${length === 1 ? 'result' : 'results'}`;
}

function allPages({ site, base }: Surroundings): Html[] {
  return site.groups.map(
    ({ title, pages }) => html`<h2>${title}</h2>
<ul class="results">${pages.map(
      ({
        slug,
        title: name,
        about,
      }) => html`<li><a href="${base}/docs/${slug}">${name}</a><p>${about}</p></li>
`,
    )}</ul>
`,
  );
}

interface Content {
  title: string;
  main: Html;
  head: Html;
  /** The page in the navigation. */
  current?: string;
}

function frame(around: Surroundings, { title, main, head, current }: Content): string {
  const brand = html`<a class="brand" href="${around.base}/docs/search">Doorlist docs</a>`;
  return shell({
    title: `${title} – Doorlist`,
    style: GUIDE_STYLE,
    script: COMMON_SCRIPT,
    head,
    body: html`<header class="bar">${brand}
<button type="button" popovertarget="contents">Contents</button></header>
<div class="layout">
<nav id="contents" popover aria-label="Documentation">
${brand}
${searchForm(around.base, 'nav')}
${navigation(around, current)}
</nav>
<main id="content">
${main}
</main>
</div>`,
  }).text;
}

function navigation({ site, base, references }: Surroundings, current: string | undefined): Html[] {
  const link = ({ slug, title }: GuidePage) =>
    html`<li><a href="${base}/docs/${slug}"${slug === current && html` aria-current="page"`}>${title}</a></li>`;
  return site.groups.map(
    ({ title, pages }) => html`<h2>${title}</h2><ul>${
      title === 'Reference' &&
      references.map((reference) => html`<li><a href="${reference.path}">${reference.title}</a></li>`)
    }${pages.map(link)}</ul>
`,
  );
}

function searchForm(base: string, place: string, query = ''): Html {
  return html`<form class="search" role="search" action="${base}/docs/search" aria-label="Documentation, ${place}">
<input type="search" name="q" value="${query}" maxlength="${QUERY_CHARACTERS_MAX}" placeholder="Search" aria-label="Search the documentation">
<button>Search</button></form>`;
}

function outline({ sections }: GuidePage): Html | undefined {
  const shown = sections.filter(({ depth }) => depth === 2);
  if (shown.length < OUTLINE_FROM) return undefined;
  return html`<aside class="outline" aria-label="On this page"><h2>On this page</h2>
<ul>${shown.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ul></aside>`;
}
