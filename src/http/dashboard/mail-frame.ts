import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';

/** Shows the HTML that the dashboard sends it, and answers with its height. Links do nothing. */
const SCRIPT = `addEventListener('message', ({ source, data }) => {
  if (source !== parent || typeof data?.mail !== 'string') return;
  const { documentElement } = new DOMParser().parseFromString(data.mail, 'text/html');
  document.replaceChild(document.adoptNode(documentElement), document.documentElement);
  const report = () => parent.postMessage({ mailHeight: document.documentElement.offsetHeight }, '*');
  new ResizeObserver(report).observe(document.documentElement);
  report();
});
addEventListener('click', (event) => event.preventDefault(), true);
addEventListener('auxclick', (event) => event.preventDefault(), true);
addEventListener('submit', (event) => event.preventDefault(), true);
parent.postMessage({ mailFrame: 'ready' }, '*');`;

const PAGE = `<!doctype html><meta charset="utf-8"><title>Email</title><script>${SCRIPT}</script>`;

/** An email brings inline styles and an image, which the dashboard's own policy forbids. Sandboxed: without an origin. */
const policyFor = (publicUrl: string) =>
  [
    "default-src 'none'",
    `script-src 'sha256-${createHash('sha256').update(SCRIPT).digest('base64')}'`,
    "style-src 'unsafe-inline'",
    `img-src ${new URL(publicUrl).origin} https: data:`, // Uploaded logos may have a plain address.
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
    'sandbox allow-scripts',
  ].join('; ');

/** The page inside the frames in which the dashboard shows emails. It holds no data itself. */
export function registerMailFrame(app: FastifyInstance, publicUrl: string): void {
  const policy = policyFor(publicUrl);
  app.get('/mail-frame', { schema: { hide: true } as object }, async (_request, reply) =>
    reply
      .headers({
        'content-security-policy': policy,
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-cache',
      })
      .type('text/html; charset=utf-8')
      .send(PAGE),
  );
}
