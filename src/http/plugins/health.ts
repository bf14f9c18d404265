import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { unavailable } from '../../errors.ts';
import type { Context } from '../../waitlist/context.ts';
import { errorResponses, okResponse } from '../responses.ts';
import { constant, named } from '../schemas.ts';

/** Well under the patience of any load balancer. */
const PING_DEADLINE_MS = 2_000;

const Health = Type.Object(
  { status: constant('ok', 'Always `ok`. A problem is reported as a 503.') },
  { ...named('Health'), description: 'The result of a health check.' },
);

const responses = (description: string) => ({
  200: okResponse({
    description,
    limited: false,
    schema: Health,
    examples: { ok: { summary: 'Healthy', value: { status: 'ok' } } },
  }),
  ...errorResponses(['invalid_request'], {
    invalid_request: {
      when: 'The request is not valid HTTP.',
      message: 'this is not a valid HTTP request',
    },
  }),
});

export function registerHealth(app: FastifyInstance, { db }: Context): void {
  app.get('/healthz', {
    schema: {
      operationId: 'health',
      tags: ['Operations'],
      summary: 'Liveness check',
      description:
        'Returns 200 while the process is running, even if the database is down. Returns 503 while the service is stopping.',
      security: [],
      response: responses('The process is running.'),
    },
    handler: async () => ({ status: 'ok' }),
  });
  app.get('/readyz', {
    schema: {
      operationId: 'readiness',
      tags: ['Operations'],
      summary: 'Readiness check',
      description:
        'Returns 200 when the service can handle requests. Returns 503 while it is starting or stopping, or when it cannot write to its database.',
      security: [],
      response: responses('The service is ready.'),
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
