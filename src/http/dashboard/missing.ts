import type { FastifyReply } from 'fastify';
import { html } from '../docs/html.ts';
import { sendPage } from '../pages/page.ts';

/** In place of the dashboard, while it is being built or if that failed. */
export function missingPage(reply: FastifyReply, problem: string | undefined): string {
  reply.headers({ 'cache-control': 'no-store', 'retry-after': '5' });
  if (problem === undefined) {
    reply.header('refresh', '2');
    return sendPage(reply, {
      status: 503,
      title: 'Building the dashboard',
      content: html`<p>This takes a few seconds. The page reloads by itself. The API is already available.</p>`,
    });
  }
  return sendPage(reply, {
    status: 503,
    title: 'The dashboard is not built',
    content: html`<p>The API works as usual. The log of the server has the details.</p>
<p>Run <code>npm ci --include=dev &amp;&amp; npm run build</code> in its directory, then reload this page.</p>`,
  });
}
