import { type Html, html } from '../docs/html.ts';
import type { Related } from '../docs/reference-page.ts';
import { COMMON_SCRIPT } from '../docs/script.ts';
import { securityPolicy, shell } from '../docs/shell.ts';
import { GUIDE_STYLE } from './guide-style.ts';
import { type Found, QUERY_CHARACTERS_MAX, RESULTS_MAX } from './search.ts';
import type { GuidePage, Site } from './site.ts';

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
