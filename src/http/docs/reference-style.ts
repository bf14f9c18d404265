/** Sizes in rem follow the reader's settings. There is one set of colors each for light and dark mode. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --paper: #fff; --panel: #f7f8f8; --line: #e3e6e6; --ink: #16211f; --soft: #56625f; --accent: #0f766e;
  --get: #1d5fa8; --post: #0f766e; --ok: #0f766e; --refused: #9a5b00; --failed: #b3261e;
  --json-key: #16211f; --json-string: #0b6b50; --json-literal: #8a3ffc;
  --body: system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif;
  --mono: ui-monospace, 'SF Mono', SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #101514; --panel: #171d1c; --line: #2a3331; --ink: #e4ebe9; --soft: #9aa8a4; --accent: #5fd0c0;
    --get: #7db4f0; --post: #5fd0c0; --ok: #5fd0c0; --refused: #e5b567; --failed: #f2877f;
    --json-key: #e4ebe9; --json-string: #8fd6ae; --json-literal: #c6a2ff;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1.5rem; -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.6 var(--body); }
a { color: var(--accent); text-underline-offset: .15em; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
code, pre { font-family: var(--mono); font-size: .8125rem; }
p code, td code, dd code, .lead code { font-size: .85em; overflow-wrap: anywhere; }
.plain td code { overflow-wrap: break-word; }
h1, h2, h3, h4 { line-height: 1.25; margin: 0; text-wrap: balance; }
p { margin: 0 0 1em; }
.skip { position: fixed; left: 1rem; top: -4rem; padding: .5rem 1rem; background: var(--accent); color: var(--paper); z-index: 3; }
.skip:focus { top: 1rem; }

.layout { display: grid; grid-template-columns: 17rem minmax(0, 1fr); max-width: 92rem; margin: 0 auto; }
nav { position: sticky; inset: auto; top: 0; display: block; height: 100vh; width: auto; margin: 0; overflow-y: auto;
  padding: 1.75rem 1.25rem 2rem 1.5rem; border: 0; border-right: 1px solid var(--line); background: none; color: inherit; font-size: .875rem; }
.brand { font-weight: 650; font-size: 1rem; color: var(--ink); text-decoration: none; }
.brand span { font-weight: 400; font-size: .8125rem; color: var(--soft); margin-left: .35rem; }
nav h2 { margin: 1.5rem 0 .35rem; font-size: .75rem; font-weight: 600; color: var(--soft); }
nav summary { padding: 1.5rem 0 .35rem; }
nav summary h2 { display: inline; margin: 0; }
nav summary::marker { color: var(--soft); font-size: .7rem; }
nav details + details:not([open]) summary, nav details:not([open]) + details summary { padding-top: .5rem; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav li a { display: flex; justify-content: space-between; align-items: baseline; gap: .75rem; padding: .3rem .6rem; margin: 0 -.6rem;
  border-radius: 6px; color: var(--ink); text-decoration: none; line-height: 1.4; }
nav li a:hover { background: var(--panel); }
nav li a[aria-current] { background: var(--panel); color: var(--accent); font-weight: 550; }
.bar { display: none; }

main { padding: 2.5rem 2.5rem 6rem; }
.introduction { max-width: 44rem; }
h1 { font-size: 2rem; letter-spacing: -.02em; margin-bottom: .75rem; }
.lead { font-size: 1.1875rem; color: var(--soft); line-height: 1.5; }
.introduction h2 { font-size: 1.1875rem; margin: 2.25rem 0 .6rem; }
.facts { display: flex; flex-wrap: wrap; gap: .5rem 2.5rem; margin: 1.5rem 0 0; padding: .85rem 0; border-block: 1px solid var(--line); }
.facts dt { font-size: .8125rem; color: var(--soft); }
.facts dd { margin: 0; }

header.section { margin-top: 5rem; padding-bottom: .9rem; border-bottom: 1px solid var(--line); }
header.section h2 { font-size: 1.5rem; letter-spacing: -.015em; }
header.section p { margin: .35rem 0 0; color: var(--soft); }
article { padding: 2.5rem 0; border-bottom: 1px solid var(--line); }
section article:last-child { border-bottom: 0; }
article > p, article > table { max-width: 44rem; }
h3 { font-size: 1.25rem; letter-spacing: -.01em; }
h3 a { color: inherit; text-decoration: none; }
h3 a:hover::after { content: ' #'; color: var(--soft); }
article > h3 + p:not(.endpoint) { margin-top: .6rem; }
.endpoint { display: flex; align-items: baseline; gap: .6rem; margin: .6rem 0 1.25rem; }
.endpoint code { overflow-wrap: anywhere; color: var(--soft); }
.endpoint em { font-style: normal; color: var(--ink); }
.method { font: 600 .6875rem/1 var(--mono); }
.method.get { color: var(--get); } .method.post { color: var(--post); }
.method.patch, .method.put { color: var(--refused); } .method.delete { color: var(--failed); }
.endpoint .method { border: 1px solid; border-radius: 4px; padding: .25rem .4rem; }
.columns { display: grid; grid-template-columns: minmax(0, 11fr) minmax(0, 10fr); gap: 2.5rem; align-items: start; }
h3 + .columns { margin-top: .75rem; }
.samples { position: sticky; top: 1.5rem; }
h4 { font-size: .9375rem; font-weight: 600; margin: 1.75rem 0 .35rem; }
h4 + p { margin-bottom: .5rem; }
.auth { font-size: .875rem; padding-left: .75rem; border-left: 2px solid var(--accent); }
.optional, .limit, .headers, .type { font-weight: 400; color: var(--soft); font-size: .8125rem; }
.type + .optional:not(:empty)::before { content: '· '; }
.headers { display: block; }
.schema { padding: .15rem .4rem; border-radius: 4px; background: var(--panel); color: var(--soft); font-weight: 400; font-size: .75rem; overflow-wrap: anywhere; }
.shape { margin: 1.25rem 0 .25rem; font-size: .875rem; }

table { width: 100%; border-collapse: collapse; font-size: .9rem; line-height: 1.5; }
th, td { text-align: left; vertical-align: top; padding: .6rem 1rem .6rem 0; border-top: 1px solid var(--line); }
th:last-child, td:last-child { padding-right: 0; }
thead th { font-size: .75rem; font-weight: 600; color: var(--soft); padding-block: .35rem; border-top: 0; }
.fields th[scope=row] { width: 36%; font-weight: 400; }
.fields th code { display: block; font-weight: 600; overflow-wrap: anywhere; line-height: 1.6; }
.parent { color: var(--soft); font-weight: 400; }
.required { color: var(--refused); font-size: .75rem; }
.curl { white-space: pre-wrap; word-break: break-all; }
.errors .code { display: block; font-weight: 600; }
.plain { margin: 0 0 1em; }
.errors td:first-child { width: 4rem; }
.errors .example { display: block; margin-top: .2rem; color: var(--soft); font-size: .75rem; overflow-wrap: anywhere; }
.status { font: 600 .8125rem/1 var(--mono); }
.s2 { color: var(--ok); } .s4 { color: var(--refused); } .s5 { color: var(--failed); }

.sample { position: relative; margin: 0 0 .75rem; border: 1px solid var(--line); border-radius: 8px; background: var(--panel); overflow: hidden; }
figcaption, summary { padding: .55rem .9rem; padding-right: 5rem; font-size: .8125rem; color: var(--soft); }
summary { cursor: pointer; }
summary:focus-visible { outline-offset: -2px; border-radius: 8px; }
pre { margin: 0; padding: .8rem .9rem; overflow-x: auto; line-height: 1.6; border-top: 1px solid var(--line); tab-size: 2; }
pre:focus-visible { outline-offset: -2px; }
.key { color: var(--json-key); } .string { color: var(--json-string); } .literal { color: var(--json-literal); }
button { font: inherit; font-size: .75rem; color: var(--soft); background: var(--paper); border: 1px solid var(--line); border-radius: 5px; padding: .15rem .5rem; cursor: pointer; }
button:hover { color: var(--ink); border-color: var(--soft); }
.copy { position: absolute; top: .4rem; right: .5rem; }
details:not([open]) .copy { display: none; }

@media (max-width: 75rem) { .columns { grid-template-columns: minmax(0, 1fr); gap: 1.5rem; } .samples { position: static; } }
@media (max-width: 52rem) {
  html { scroll-padding-top: 4.25rem; }
  .layout { display: block; }
  .bar { display: flex; justify-content: space-between; align-items: center; position: sticky; top: 0; z-index: 2; padding: .6rem 1.125rem;
    background: var(--paper); border-bottom: 1px solid var(--line); }
  .bar button { font-size: .875rem; padding: .3rem .75rem; color: var(--ink); }
  nav { display: none; }
  nav:popover-open { display: block; position: fixed; inset: 0 0 0 auto; height: 100dvh; width: min(20rem, 88vw); background: var(--paper);
    border-right: 0; border-left: 1px solid var(--line); }
  nav::backdrop { background: rgb(0 0 0 / .4); }
  nav li a { padding-block: .5rem; }
  main { padding: 1.5rem 1.125rem 4rem; }
  h1 { font-size: 1.625rem; }
  header.section { margin-top: 3rem; }
  .fields thead { display: none; }
  .fields tr { display: block; border-top: 1px solid var(--line); padding: .7rem 0; }
  .fields th[scope=row], .fields td { display: block; width: auto; padding: 0; border: 0; }
  .fields th code { display: inline; margin-right: .35rem; }
  .fields td { margin-top: .25rem; }
}
@media print { nav, .bar, .copy { display: none; } .layout, .columns { display: block; } .samples { position: static; } }
`;
