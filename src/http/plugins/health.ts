import Type, { type Static } from 'typebox';
import { DatabaseUnavailable, SchemaSuperseded } from '../../db/database.ts';
import { within } from '../../lib/promises.ts';
import { reportState } from '../../lib/state-log.ts';
import type { Context } from '../../waitlist/queue/context.ts';
import { constant, named, oneOf } from '../../wire/schema.ts';
import { errorResponses, okResponse } from '../responses.ts';
import type { TypedApp } from '../typed-app.ts';

/** Well below the timeout of any load balancer. */
const PROBE_DEADLINE_MS = 2_000;
/** Limits database checks, however many requests there are. */
const PROBE_EVERY_MS = 1_000;

const HealthSchema = Type.Object(
  {
    status: constant('ok', 'Always `ok`. A problem is reported as a 503.'),
    role: Type.Optional(
      oneOf(['api', 'worker'], {
        description:
          'Only from `/readyz`, if this instance does not do everything. `api`: it leaves webhooks, emails and jobs to others. `worker`: it does only those.',
      }),
    ),
    dashboard: Type.Optional(
      oneOf(['building', 'not_built'], {
        description:
          'Only from `/readyz`, if there is no dashboard to show: `building` for a few seconds after the first start, otherwise `not_built`. The API is not affected.',
      }),
    ),
  },
  { ...named('Health'), description: 'The result of a health check.' },
);

const HEALTHY: Static<typeof HealthSchema> = { status: 'ok' };

const responses = (description: string) => ({
  200: okResponse({
    description,
    limited: false,
    schema: HealthSchema,
    examples: { ok: { summary: 'Healthy', value: HEALTHY } },
  }),
  ...errorResponses(['invalid_request'], {
    invalid_request: {
      when: 'The request is not valid HTTP.',
      message: 'this is not a valid HTTP request',
    },
  }),
});

interface DashboardState {
  problem: () => string | undefined;
  building: () => boolean;
}

interface InstanceState {
  role: 'all' | 'api' | 'worker';
  /** If it serves one. */
  dashboard?: DashboardState;
}

export function registerHealth(
  app: TypedApp,
  { db, log }: Context,
  { role, dashboard }: InstanceState,
): void {
  const ready = role === 'all' ? HEALTHY : { ...HEALTHY, role };
  const checkWriting = shared(async () => {
    try {
      await within(PROBE_DEADLINE_MS, asUnavailable(db.probe()), 'the database is not responding');
      reportState(log, 'readiness', 'ok');
    } catch (error) {
      reportState(log, 'readiness', 'not ready', { reason: (error as Error).message });
      throw error;
    }
  });
  app.get('/healthz', {
    schema: {
      operationId: 'health',
      tags: ['Operations'],
      summary: 'Liveness check',
      description:
        'Returns 200 while the process is running, even if the database is down. Returns 503 when it is about to exit.',
      security: [],
      response: responses('The process is running.'),
    },
    handler: async () => HEALTHY,
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
      await checkWriting();
      if (dashboard?.building()) return { ...ready, dashboard: 'building' as const };
      return dashboard?.problem() === undefined ? ready : { ...ready, dashboard: 'not_built' as const };
    },
  });
}

/** Runs one check at a time and reuses its result for a moment. */
function shared(check: () => Promise<void>): () => Promise<void> {
  let outcome: Promise<void> | undefined;
  let holdsUntil = Number.POSITIVE_INFINITY;
  return () => {
    if (outcome === undefined || performance.now() >= holdsUntil) {
      holdsUntil = Number.POSITIVE_INFINITY;
      outcome = check().finally(() => {
        holdsUntil = performance.now() + PROBE_EVERY_MS;
      });
    }
    return outcome;
  };
}

/** Any problem with the database means "not ready", not a bug in the check. */
async function asUnavailable(probe: Promise<void>): Promise<void> {
  try {
    await probe;
  } catch (error) {
    if (error instanceof SchemaSuperseded) throw error;
    const { message } = error as Error;
    throw new DatabaseUnavailable(message, { cause: error });
  }
}
