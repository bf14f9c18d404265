import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { unavailable } from '../../errors.ts';
import type { Context } from '../../waitlist/context.ts';
import { errorResponses, okResponse } from '../responses.ts';
import { oneOf } from '../schemas.ts';

/** Well under the patience of any load balancer. */
const PING_DEADLINE_MS = 2_000;

const responses = (description: string) => ({
  200: okResponse({
    description,
    limited: false,
    schema: Type.Object({ status: oneOf(['ok'], { description: 'Always `ok`; a problem is a 503.' }) }),
    examples: { ok: { summary: 'All is well.', value: { status: 'ok' } } },
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
      summary: 'Whether the process is alive',
      description:
        'For the liveness check of a supervisor. Says nothing of the database. Answers 503 while the service stops. Needs no key.',
      security: [],
      response: responses('The process runs.'),
    },
    handler: async () => ({ status: 'ok' }),
  });
  app.get('/readyz', {
    schema: {
      operationId: 'readiness',
      tags: ['Operations'],
      summary: 'Whether the service can serve',
      description:
        'For the readiness check of a load balancer. Answers 503 while the service starts or stops, or cannot write to its database. Needs no key.',
      security: [],
      response: responses('The service takes requests.'),
    },
    handler: async () => {
      await withDeadline(db.probe());
      return { status: 'ok' };
    },
  });
}

async function withDeadline(probe: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(unavailable('the database does not answer')), PING_DEADLINE_MS);
  });
  try {
    await Promise.race([probe, deadline]);
  } finally {
    clearTimeout(timer);
  }
}
