import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { Html, html } from '../../docs/html.ts';

/** The colors and shapes of the dashboard's sign-in page, which these pages lead to. */
const STYLE = `
:root { color-scheme: light dark; --canvas: #f7f8f8; --surface: #fff; --ink: #14201e; --mute: #55625f; --line: #e3e7e7; --edge: #899392; --accent: #0f766e; --strong: #0b5e58; --on: #fff; --danger: #b42318; --danger-soft: #fdecea; }
@media (prefers-color-scheme: dark) { :root { --canvas: #0d0f10; --surface: #141718; --ink: #e9eeed; --mute: #9aa7a5; --line: #262b2d; --edge: #6b7674; --accent: #2dd4bf; --strong: #5eead4; --on: #04211d; --danger: #fb8075; --danger-soft: #3b1714; } }
* { box-sizing: border-box; }
body { margin: 0; min-height: 100dvh; display: flex; flex-direction: column; align-items: center; justify-content: center; gap: 1.5rem; padding: 2.5rem 1rem; background: var(--canvas); color: var(--ink); font: 400 .875rem/1.375rem Inter, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", system-ui, sans-serif; }
header { display: flex; align-items: center; gap: .625rem; font-size: 1rem; font-weight: 600; letter-spacing: -.025em; }
svg { width: 1.75rem; height: 1.75rem; }
main { width: min(24rem, 100%); padding: 1.5rem; background: var(--surface); border: 1px solid var(--line); border-radius: .875rem; overflow-wrap: anywhere; }
@media (min-width: 40rem) { main { padding: 2rem; } }
h1 { margin: 0 0 .25rem; font-size: 1.25rem; line-height: 1.75rem; letter-spacing: -.025em; text-wrap: balance; }
p { margin: 0; color: var(--mute); }
form { display: flex; flex-direction: column; gap: 1rem; margin-top: 1.25rem; }
label { display: flex; flex-direction: column; gap: .375rem; font-size: .8125rem; font-weight: 500; }
input { width: 100%; height: 2.25rem; padding: 0 .75rem; font: inherit; font-size: 1rem; font-weight: 400; color: inherit; background: var(--surface); border: 1px solid var(--edge); border-radius: .4375rem; }
small { font-size: .8125rem; font-weight: 400; color: var(--mute); }
button, a.button { display: block; width: 100%; padding: .4375rem .875rem; font: inherit; font-weight: 500; text-align: center; text-decoration: none; color: var(--on); background: var(--accent); border: 0; border-radius: .4375rem; cursor: pointer; }
button:hover, a.button:hover { background: var(--strong); }
a.button { margin-top: 1.25rem; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
input[aria-invalid] { border-color: var(--danger); outline-color: var(--danger); }
.wrong { margin-top: -.5rem; font-size: .8125rem; color: var(--danger); }
button.quiet { width: auto; align-self: flex-start; margin-top: -.5rem; padding: 0; font-size: .8125rem; color: var(--mute); background: none; text-decoration: underline; text-underline-offset: 4px; }
button.quiet:hover { color: var(--ink); background: none; }
.problem { margin-top: 1.25rem; padding: .625rem .75rem; color: var(--danger); background: var(--danger-soft); border-radius: .4375rem; }
`;

/** Hidden without scripts, because it would do nothing. */
export const SHOW_PASSWORD = new Html(
  '<button type="button" class="quiet" id="show" aria-controls="password" aria-pressed="false" hidden>Show password</button>',
);
const SCRIPT = `
const show = document.getElementById('show');
const password = document.getElementById('password');
if (show) show.hidden = false;
show?.addEventListener('click', () => {
  const shown = password.type === 'text';
  password.type = shown ? 'password' : 'text';
  show.textContent = shown ? 'Show password' : 'Hide password';
  show.setAttribute('aria-pressed', String(!shown));
});
`;
const SCRIPT_HASH = createHash('sha256').update(SCRIPT).digest('base64');

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** Nothing is loaded, only our own script runs, and forms can only be sent here. */
const HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${STYLE_HASH}'`,
    `script-src 'sha256-${SCRIPT_HASH}'`,
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; '),
  // The URL of such a page is its reader's secret.
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex',
};

const MARK = new Html(
  '<svg viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="8" fill="var(--accent)"/>' +
    '<path d="M11.5 6h9A2.5 2.5 0 0 1 23 8.5V27H9V8.5A2.5 2.5 0 0 1 11.5 6Z" fill="var(--on)"/>' +
    '<path d="M12.5 11.5h7M12.5 16h3.5M12.5 20.5h3.5" stroke="var(--accent)" stroke-width="2" stroke-linecap="round"/>' +
    '<circle cx="19.6" cy="18.2" r="1.5" fill="var(--accent)"/></svg>',
);

export interface AccountPage {
  status?: number;
  title: string;
  lead: string | Html;
  /** What was wrong with the last attempt. */
  problem?: string | undefined;
  content?: Html;
}

export function sendAccountPage(reply: FastifyReply, page: AccountPage): string {
  const { status = 200, title, lead, problem, content } = page;
  reply
    .code(status)
    .type('text/html; charset=utf-8')
    .headers(HEADERS)
    .serializer((text: string) => text);
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Doorlist</title>
<style>${new Html(STYLE)}</style>
</head>
<body>
<header>${MARK}Doorlist</header>
<main>
<h1>${title}</h1>
<p>${lead}</p>
${problem !== undefined && html`<p class="problem" role="alert">${problem}</p>`}
${content ?? html``}
</main>
<script>${new Html(SCRIPT)}</script>
</body>
</html>
`.text;
}
