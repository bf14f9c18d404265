import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { notFound } from '../../lib/errors.ts';
import type { OperatorContext } from '../../operators/context.ts';
import { findSession, type SessionLimits } from '../../operators/sessions.ts';
import { isSetUp } from '../../operators/setup.ts';
import type { Cookies } from '../admin/core/cookies.ts';
import { html } from '../docs/html.ts';
import { sendPage } from '../pages/page.ts';
import { NOTHING_HERE } from '../plugins/errors.ts';
import { isNavigation } from '../plugins/headers.ts';
import { dashboardFiles, sendFile } from './files.ts';

export interface Dashboard {
  /** Where the built files are. */
  directory: string;
  /** Why there are none, for the page that says so. */
  problem: () => string | undefined;
  /** While the first build runs. */
  building: () => boolean;
}

interface DashboardParts extends Dashboard {
  context: OperatorContext;
  cookies: Cookies;
  limits: SessionLimits;
  publicUrl: string;
  /** The path of the public URL. */
  base: string;
}

/** Open to everybody. */
const PUBLIC = ['/sign-in', '/forgot-password'];
/** For signed-in operators. The router in the browser knows what is below. */
const PRIVATE = ['/', '/account', '/account/*', '/waitlists', '/waitlists/*', '/instance', '/instance/*'];

/** The dashboard: one page whose script shows what the path says, and its files. */
export function registerDashboard(app: FastifyInstance, parts: DashboardParts): void {
  const files = dashboardFiles(parts.directory, parts.base);
  const route = { schema: { hide: true } as object };
  const sendIndex = (request: FastifyRequest, reply: FastifyReply, status = 200) => {
    const index = files().get('index.html');
    return index ? sendFile(request, reply, index, status) : missingPage(reply, parts.problem());
  };

  registerMailFrame(app, parts.publicUrl);
  app.get('/assets/*', route, async (request, reply) => {
    const file = files().get(`assets/${(request.params as { '*': string })['*']}`);
    if (!file) throw notFound(NOTHING_HERE);
    return sendFile(request, reply, file);
  });
  for (const path of PUBLIC) app.get(path, route, async (request, reply) => sendIndex(request, reply));
  app.get('/setup', route, async (request, reply) =>
    (await isSetUp(parts.context.db.query))
      ? reply.redirect(`${parts.base}/`, 302)
      : sendIndex(request, reply),
  );
  // As the page of the team was called before.
  app.get('/instance/people', route, async (_, reply) => reply.redirect(`${parts.base}/instance/team`, 302));
  for (const path of PRIVATE) {
    app.get(path, route, async (request, reply) => {
      const elsewhere = await signInAt(parts, request);
      if (elsewhere === undefined) return sendIndex(request, reply);
      return reply.header('cache-control', 'no-store').redirect(elsewhere, 302);
    });
  }
  app.setNotFoundHandler(async (request, reply) => {
    if (isNavigation(request)) return sendIndex(request, reply, 404);
    throw notFound(NOTHING_HERE);
  });
}

/** Where somebody without a session has to go first. */
async function signInAt({ context, cookies, limits, base }: DashboardParts, request: FastifyRequest) {
  const { session } = cookies.read(request);
  if (session !== undefined && (await findSession(context, session, limits))) return undefined;
  if (!(await isSetUp(context.db.query))) return `${base}/setup`;
  return `${base}/sign-in${request.url === '/' ? '' : `?next=${encodeURIComponent(base + request.url)}`}`;
}

/** In place of the dashboard, while it is being built or if that failed. */
function missingPage(reply: FastifyReply, problem: string | undefined): string {
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
