import { STYLE } from '../docs/reference-style.ts';

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
