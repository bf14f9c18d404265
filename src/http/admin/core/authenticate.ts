import type { FastifyInstance, FastifyRequest } from 'fastify';
import { DoorlistError } from '../../../lib/errors.ts';
import { requireAccess } from '../../../operators/duties.ts';
import { actorOf } from '../../../operators/operator.ts';
import { findSession } from '../../../operators/sessions.ts';
import { findToken } from '../../../operators/tokens.ts';
import { clientOf } from '../../plugins/rate-limit.ts';
import type { AdminParts, Caller } from './admin-parts.ts';
import type { AdminSchema } from './operation.ts';

/**
 * The only place that authorizes requests to the admin API: the schema of every route states the required
 * role.
 */
export function requireRoles(app: FastifyInstance, parts: AdminParts): void {
  app.decorateRequest('caller');
  app.addHook('onRoute', ({ method, url, schema }) => {
    if ((schema as AdminSchema | undefined)?.role === undefined)
      throw new Error(`${method} ${url} does not say which role it needs`);
  });
  app.addHook('onRequest', async (request, reply) => {
    const { role, person, support } = request.routeOptions.schema as AdminSchema;
    if (request.headers.authorization === undefined) refuseCrossSite(request, parts.publicUrl);
    if (role === 'anyone') return;
    const caller = await findCaller(parts, request);
    if (!caller) {
      parts.failures.take(clientOf(request), reply);
      throw new DoorlistError(
        'unauthorized',
        'sign in, or send an admin token as Authorization: Bearer <token>',
      );
    }
    if (person && !caller.operator)
      throw new DoorlistError('forbidden', 'this requires a signed-in operator: tokens are not accepted');
    await requireAccess(parts.waitlists, caller.actor, { role, ...(support ? { support } : {}) });
    request.caller = caller;
  });
}

/** For streams: whether the credential of the request is still valid, with the same role. */
export async function isStillAllowed(parts: AdminParts, request: FastifyRequest): Promise<boolean> {
  const caller = await findCaller(parts, request, { countsAsUse: false });
  return caller?.actor.role === request.caller.actor.role;
}

/** A token takes precedence over a cookie, because it is sent deliberately. */
async function findCaller(
  parts: AdminParts,
  request: FastifyRequest,
  use?: { countsAsUse: boolean },
): Promise<Caller | undefined> {
  const { context, limits, cookies } = parts;
  const { authorization } = request.headers;
  const address = clientOf(request);
  if (authorization !== undefined) {
    const [, secret = ''] = /^Bearer +(\S+)$/i.exec(authorization) ?? [];
    const token = await findToken(context, secret);
    if (!token) return undefined;
    const { id, name, role } = token;
    return { token, actor: { kind: 'token', id, name, role, address } };
  }
  const { session: secret } = cookies.read(request);
  const session = secret === undefined ? undefined : await findSession(context, secret, limits, use);
  if (!session) return undefined;
  const { operator } = session;
  return { operator, sessionId: session.id, actor: actorOf(operator, address) };
}

const READS = ['GET', 'HEAD', 'OPTIONS', 'TRACE'];

/**
 * Rejects writes that another site made the browser send. Browsers send their origin in Sec-Fetch-Site, older
 * ones only in Origin. A client that sends neither is not a browser, and has no cookie that its user did not
 * give it.
 */
export function refuseCrossSite({ method, headers, host }: FastifyRequest, publicUrl: string): void {
  if (READS.includes(method)) return;
  const site = headers['sec-fetch-site'];
  const { origin } = headers;
  const refused =
    site !== undefined
      ? site !== 'same-origin' && site !== 'none'
      : origin !== undefined && origin !== new URL(publicUrl).origin && hostOf(origin) !== host;
  if (refused) throw new DoorlistError('cross_site', 'this request came from another site');
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}
