/** Phone first. Colors of text and lines never depend on the waitlist's color, so they stay readable. */
export const BRANDED_STYLE = `
:root { color-scheme: light dark; --paper: #f4f5f7; --card: #fff; --ink: #16191d; --soft: #59636e; --line: #d5dae0; --accent: #0f766e; --on: #fff; --danger: #b42318; }
@media (prefers-color-scheme: dark) { :root { --paper: #15181c; --card: #1f2429; --ink: #e8eaed; --soft: #a3adb8; --line: #3b434b; --accent: #2dd4bf; --on: #08211e; --danger: #ff8a80; } }
/* own */
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body { margin: 0; min-height: 100dvh; display: grid; place-items: center; padding: 1rem; background: var(--paper); color: var(--ink); font: 400 1rem/1.6 system-ui, sans-serif; }
main { width: min(30rem, 100%); padding: 1.75rem 1.25rem; background: var(--card); border: 1px solid var(--line); border-top: 4px solid var(--accent); border-radius: 12px; overflow-wrap: anywhere; }
@media (min-width: 30rem) { main { padding: 2.25rem 2rem; } }
/* A long word gets a line of its own: a letter is about .7 of the size wide, and 5rem are beside it. */
h1 { margin: 0 0 .75rem; font-size: clamp(1.0625rem, (min(100vw, 30rem) - 5rem) / (var(--letters, 1) * .7), 1.5rem); line-height: 1.3; text-wrap: balance; word-break: auto-phrase; }
:is(h1, p):lang(de) { hyphens: auto; hyphenate-limit-chars: 14 6 6; }
h2 { margin: 1.75rem 0 .5rem; font-size: 1.125rem; line-height: 1.3; }
p { margin: 0 0 1.25rem; text-wrap: pretty; word-break: auto-phrase; }
.brand { margin: 0 0 1.25rem; font-weight: 700; }
.brand img { display: block; height: 36px; max-width: 100%; object-fit: contain; object-position: left; }
.soft { color: var(--soft); font-size: .9375rem; }
.text { white-space: pre-line; }
.position { margin: 0; font-size: 3rem; font-weight: 700; line-height: 1.1; font-variant-numeric: tabular-nums; }
.label { margin: 0; color: var(--soft); font-size: .9375rem; }
.figures { display: flex; flex-wrap: wrap; gap: 1rem 2.5rem; margin: 0 0 1.25rem; }
.notice { padding: .75rem 1rem; border: 1px solid var(--line); border-left: 4px solid var(--accent); border-radius: 8px; }
.notice.bad { border-left-color: var(--danger); }
/* Not before the script had time to load. */
.late { animation: late 0s 2s backwards; }
@keyframes late { from { visibility: hidden; } }
form { margin: 0 0 1rem; }
:is(main, doorlist-form, .apart) > :last-child, doorlist-form > :is(.soft, .late) { margin-bottom: 0; }
.field { margin: 0 0 1rem; }
label { display: block; font-weight: 600; }
label .soft { font-weight: 400; }
.check { display: flex; gap: .625rem; align-items: flex-start; font-weight: 400; }
.check input { flex: none; width: 1.25rem; height: 1.25rem; margin: .2rem 0 0; accent-color: var(--accent); }
.check input[aria-invalid=true]:not(:focus-visible) { outline: 2px solid var(--danger); }
.problem { margin: .25rem 0 0; color: var(--danger); font-size: .9375rem; }
.check + .problem { margin-left: 1.875rem; }
input:not([type=checkbox]), select { display: block; width: 100%; min-height: 3.125rem; margin-top: .25rem; padding: .7rem .8rem; font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--soft); border-radius: 8px; }
::placeholder { color: inherit; opacity: .65; }
/* Browsers put their own arrow at the very edge. */
select { appearance: none; padding-right: 2.25rem; text-overflow: ellipsis; }
.choice { display: block; position: relative; }
.choice::after { content: ""; position: absolute; inset: auto 1rem 1.375rem auto; padding: .2rem; border: solid; border-width: 0 2px 2px 0; rotate: 45deg; pointer-events: none; }
input[aria-invalid=true]:not([type=checkbox]), select[aria-invalid=true] { border-color: var(--danger); }
.trap { position: absolute; left: -9999px; }
button, .button { display: block; width: 100%; padding: .8rem 1rem; font: inherit; font-weight: 600; text-align: center; text-decoration: none; color: var(--on); background: var(--accent); border: 1px solid #8885; border-radius: 8px; cursor: pointer; }
button.quiet { font-size: 1rem; color: var(--danger); background: none; border-color: currentcolor; }
:is(a, button, input, select, summary):focus-visible { outline: 3px solid var(--ink); outline-offset: 2px; }
a { color: inherit; }
.link { display: block; margin: .25rem 0 .75rem; padding: .7rem .8rem; font: inherit; background: var(--paper); border: 1px solid var(--line); border-radius: 8px; user-select: all; }
button.second { color: inherit; background: none; border-color: var(--line); }
.actions { display: flex; gap: .5rem; margin: 0 0 .75rem; }
.networks { display: flex; flex-wrap: wrap; gap: .5rem; margin: 0 0 1.25rem; padding: 0; list-style: none; }
.networks a { display: block; padding: .5rem .75rem; border: 1px solid var(--line); border-radius: 999px; text-decoration: none; }
.apart { margin: 1.75rem 0 0; border-top: 1px solid var(--line); padding-top: 1rem; font-size: .9375rem; }
.apart :is(a, .plain) { color: var(--soft); }
button.plain { width: auto; padding: 0; font-weight: 400; font-size: inherit; text-decoration: underline; background: none; border: 0; }
main:has(doorlist-form[state]) > :is(h1, .text, .notice) { display: none; }
doorlist-form { display: block; --doorlist-accent: var(--accent); --doorlist-on-accent: var(--on); --doorlist-border: var(--soft); --doorlist-background: var(--paper); --doorlist-text: var(--ink); --doorlist-soft: var(--soft); --doorlist-danger: var(--danger); }
`;
