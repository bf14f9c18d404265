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
