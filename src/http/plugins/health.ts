import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { unavailable } from '../../errors.ts';
import type { Context } from '../../waitlist/context.ts';
import { errorResponses, okResponse } from '../schemas.ts';

/** Well under the patience of any load balancer. */
const PING_DEADLINE_MS = 2_000;

const answer = okResponse('It does.', Type.Object({ status: Type.String() }), { ok: { status: 'ok' } });

export function registerHealth(app: FastifyInstance, { db }: Context): void {
  app.get('/healthz', {
    schema: {
      operationId: 'health',
      tags: ['Operations'],
      summary: 'Whether the process is alive',
      description: 'Needs no key. Says nothing of the database.',
      security: [],
      response: { 200: answer, ...errorResponses('method_not_allowed') },
    },
    handler: async () => ({ status: 'ok' }),
  });
  app.get('/readyz', {
    schema: {
      operationId: 'readiness',
      tags: ['Operations'],
      summary: 'Whether the service can serve',
      description: 'Needs no key. 503 while it shuts down or cannot reach its database.',
      security: [],
      response: { 200: answer, ...errorResponses('method_not_allowed') },
    },
    handler: async () => {
      await withDeadline(db.ping());
      return { status: 'ok' };
    },
  });
}

async function withDeadline(ping: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(unavailable('the database does not answer')), PING_DEADLINE_MS);
  });
  try {
    await Promise.race([ping, deadline]);
  } finally {
    clearTimeout(timer);
  }
}
