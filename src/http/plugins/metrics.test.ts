import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import Fastify, { type FastifyInstance } from 'fastify';
import { createLogger } from '../../lib/log.ts';
import { type Attributes, type Span, type Tracer, UNMETERED } from '../../lib/telemetry.ts';
import { registerLifecycle } from './lifecycle.ts';
import { registerTracing } from './metrics.ts';
import { recordRoutes } from './route-table.ts';

interface Ended {
  name: string;
  attributes: Attributes;
  isOk: boolean;
}

/** Traces everything whose caller does not say `no`. */
function tracerInto(ended: Ended[]): Tracer {
  return {
    request: (name, traceparent) => {
      let attributes: Attributes = {};
      const span: Span = {
        traceId: 'a'.repeat(32),
        spanId: 'b'.repeat(16),
        hasEnded: () => false,
        link: () => {},
        leadsTo: () => {},
        set: (more) => {
          attributes = { ...attributes, ...more };
        },
        end: (isOk) => void ended.push({ name, attributes, isOk }),
      };
      return traceparent === 'no' ? undefined : span;
    },
    delivery: () => undefined,
    run: (_span, work) => work(),
    runFor: (_spans, work) => work(),
    current: () => undefined,
    transaction: (_engine, work) => work(),
  };
}

describe('the span of a request', () => {
  const lines: string[] = [];
  const ended: Ended[] = [];
  let app: FastifyInstance;
  let url: string;
  beforeEach(async () => {
    lines.length = 0;
    ended.length = 0;
    app = Fastify();
    const log = createLogger('info', { write: (line) => void lines.push(line) });
    const tracer = tracerInto(ended);
    registerTracing(app, tracer);
    registerLifecycle(app, { log, meter: UNMETERED, tracer, requestLines: 'all' }, recordRoutes(app));
    app.get('/people/:email', async () => ({}));
    app.get('/broken', async () => {
      throw new Error('on purpose');
    });
    app.get('/healthz', async () => ({}));
    url = await app.listen({ host: '127.0.0.1', port: 0 });
  });
  afterEach(() => app.close());

  const ask = async (path: string, headers: Record<string, string> = {}) => {
    await (await fetch(url + path, { headers })).text();
    // The connection may be told later than the client.
    while (lines.length === 0) await new Promise((resolve) => setImmediate(resolve));
  };

  it('has the route and the status, and its id is in the log', async () => {
    await ask('/people/ada@example.com');
    assert.deepEqual(ended, [
      {
        name: 'GET /people/:email',
        attributes: {
          'http.request.method': 'GET',
          'http.route': '/people/:email',
          'http.response.status_code': 200,
        },
        isOk: true,
      },
    ]);
    assert.equal(JSON.parse(lines[0] ?? '').traceId, 'a'.repeat(32));
  });

  it('tells of failures', async () => {
    await ask('/broken');
    assert.equal(ended[0]?.isOk, false);
    assert.equal(ended[0]?.attributes['http.response.status_code'], 500);
  });

  it('is missing for whoever is not traced, in the log too', async () => {
    await ask('/people/ada@example.com', { traceparent: 'no' });
    await fetch(`${url}/healthz`);
    assert.deepEqual(ended, []);
    assert.ok(!('traceId' in JSON.parse(lines[0] ?? '')));
  });
});
