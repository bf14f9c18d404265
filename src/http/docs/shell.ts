import { createHash } from 'node:crypto';
import { Html, html } from './html.ts';

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Nothing is loaded from elsewhere, and only this style and this script are allowed. */
export function securityPolicy(
  { style, script }: { style: string; script: string },
  others: string[],
): string {
  return [
    "default-src 'none'",
    `style-src ${hashOf(style)}`,
    `script-src ${hashOf(script)}`,
    ...others,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

const ICON =
  'data:image/svg+xml,%3Csvg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"%3E%3Crect width="16" height="16" rx="4" fill="%230f766e"/%3E%3Cpath d="M5 13V3h6v10" fill="none" stroke="white" stroke-width="2"/%3E%3C/svg%3E';

interface Shell {
  title: string;
  style: string;
  script: string;
  /** What belongs into the head besides. */
  head?: Html;
  body: Html;
}

/** The frame of every page: what it loads is inside of it. */
export function shell({ title, style, script, head, body }: Shell): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="${new Html(ICON.replaceAll('"', '&quot;'))}">
${head}<style>${new Html(style)}</style>
</head>
<body id="top">
<a class="skip" href="#content">Skip to content</a>
${body}
<script>${new Html(script)}</script>
</body>
</html>
`;
}

/** Optional conveniences of every page: a menu that closes itself, and copy buttons. */
export const COMMON_SCRIPT = `
const contents = document.getElementById('contents');
contents.addEventListener('click', (event) => {
  if (event.target.closest('a') && contents.matches(':popover-open')) contents.hidePopover();
});

if (navigator.clipboard) {
  for (const pre of document.querySelectorAll('.sample pre')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = 'Copy';
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(pre.textContent);
      button.textContent = 'Copied';
      setTimeout(() => { button.textContent = 'Copy'; }, 1500);
    });
    pre.after(button);
  }
}
`;

/** Those of a reference: highlighting in the table of contents. */
export const SCRIPT = `${COMMON_SCRIPT}
const links = new Map([...contents.querySelectorAll('li a[href^="#"]')].map((link) => [link.hash.slice(1), link]));
let unfolded;
const follow = (link) => {
  const group = link.closest('details');
  if (group && !group.open) {
    if (unfolded) unfolded.open = false;
    group.open = true;
    unfolded = group;
  }
  const { scrollTop, clientHeight } = contents;
  if (link.offsetTop < scrollTop || link.offsetTop > scrollTop + clientHeight - 48)
    contents.scrollTop = link.offsetTop - clientHeight / 3;
};
const inView = new Set();
const watcher = new IntersectionObserver((changes) => {
  for (const { target, isIntersecting } of changes) inView[isIntersecting ? 'add' : 'delete'](target.id);
  const current = [...links.keys()].find((id) => inView.has(id));
  if (!current) return;
  follow(links.get(current));
  for (const [id, link] of links) {
    if (id === current) link.setAttribute('aria-current', 'true');
    else link.removeAttribute('aria-current');
  }
}, { rootMargin: '-10% 0px -70% 0px' });
for (const id of links.keys()) watcher.observe(document.getElementById(id));
`;
