import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, type TestContext } from 'node:test';
import Fastify, { type FastifyInstance } from 'fastify';
import type { RequestLines } from '../../config/variables.ts';
import { DatabaseUnavailable } from '../../db/database.ts';
import { createLogger } from '../../lib/log.ts';
import { UNMETERED } from '../../lib/telemetry.ts';
import { registerErrors } from './errors.ts';
import { type Lifecycle, registerLifecycle } from './lifecycle.ts';
import { recordRoutes } from './route-table.ts';

describe('a response that takes long', () => {
  let app: FastifyInstance;
  let lifecycle: Lifecycle;
  let answer = () => {};
  let asked: Promise<void>;
  beforeEach(async () => {
    app = Fastify();
    lifecycle = registerLifecycle(app, { log: createLogger('silent'), meter: UNMETERED }, recordRoutes(app));
    let arrived = () => {};
    asked = new Promise((resolve) => {
      arrived = resolve;
    });
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const handler = async () => {
      arrived();
      await answered;
      return {};
    };
    app.get('/short', handler);
    app.get('/healthz', handler);
    app.get('/long', { config: { isLong: true } }, handler);
    app.get('/in-turns', { config: { takesTurns: true } }, handler);
    await app.listen({ host: '127.0.0.1', port: 0 });
  });
  afterEach(() => app.close());

  const ask = (path: string) => fetch(new URL(path, app.listeningOrigin)).then((response) => response.text());

  it('goes on at once while nobody else waits', async (test) => {
    test.mock.timers.enable({ apis: ['setTimeout'] });
    await lifecycle.makeWay();
  });

  it('goes on when another request has been answered', async (test) => {
    const short = ask('/short');
    await asked;
    test.mock.timers.enable({ apis: ['setTimeout'] });
    let isOver = false;
    const way = lifecycle.makeWay().then(() => {
      isOver = true;
    });
    test.mock.timers.tick(8); // Its rest.
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(isOver, false);
    answer();
    await Promise.all([way, short]);
  });

  it('goes on after a moment on a server that is never idle', async () => {
    const short = ask('/short');
    await asked;
    await lifecycle.makeWay();
    answer();
    await short;
  });

  it('does not wait for others of its kind', async (test) => {
    const long = ask('/long');
    await asked;
    test.mock.timers.enable({ apis: ['setTimeout'] });
    await lifecycle.makeWay();
    answer();
    await long;
  });

  /** Whether a request that takes turns had to wait. */
  const givesWay = async (test: TestContext): Promise<boolean> => {
    test.mock.timers.enable({ apis: ['setTimeout'] });
    let isOver = false;
    const way = lifecycle.giveWay(50).then(() => {
      isOver = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    const hadToWait = !isOver;
    test.mock.timers.tick(50);
    await way;
    test.mock.timers.reset();
    return hadToWait;
  };

  it('gives way while another request waits', async (test) => {
    const short = ask('/short');
    await asked;
    assert.equal(await givesWay(test), true);
    answer();
    await short;
  });

  it('gives way once after another request has come', async (test) => {
    answer();
    await ask('/short');
    assert.equal(await givesWay(test), true);
    assert.equal(await givesWay(test), false);
  });

  it('does not give way to health checks, nor to requests for what does not exist', async (test) => {
    answer();
    await Promise.all([ask('/healthz'), ask('/nothing-here')]);
    assert.equal(await givesWay(test), false);
  });

  it('does not give way to those that take turns, nor to those that take long', async (test) => {
    const others = [ask('/in-turns'), ask('/long')];
    await asked;
    assert.equal(await givesWay(test), false);
    answer();
    await Promise.all(others);
  });
});

describe('the log of requests', () => {
  const AWAY = new DatabaseUnavailable('nobody answers');

  /** What is logged of these requests, in any order. */
  const linesOf = async (test: TestContext, options: { level?: string; requestLines?: RequestLines }) => {
    const lines: string[] = [];
    const app = Fastify();
    test.after(() => app.close());
    const log = createLogger(options.level ?? 'info', { write: (line) => void lines.push(line) });
    registerErrors(app, log);
    let closed = 0;
    app.addHook('onRequest', (_, reply, next) => {
      reply.raw.once('close', () => {
        closed += 1;
      });
      next();
    });
    registerLifecycle(app, { log, meter: UNMETERED, ...options }, recordRoutes(app));
    let now = 0;
    app.get('/fine', async () => ({}));
    app.get('/slow', async () => {
      now += 1_000;
      return {};
    });
    app.get('/stream', { config: { isLong: true } }, async () => {
      now += 90_000;
      return {};
    });
    app.get('/readyz', async () => ({}));
    app.get('/broken', async () => {
      throw new Error('on purpose');
    });
    app.get('/away', async () => {
      throw AWAY;
    });
    const url = await app.listen({ host: '127.0.0.1', port: 0 });
    test.mock.method(performance, 'now', () => now);
    const paths = [
      '/fine',
      '/missing',
      '/slow',
      '/stream',
      '/readyz',
      '/broken',
      '/broken',
      '/away',
      '/away',
      '/away',
    ];
    for (const path of paths) await (await fetch(url + path)).text();
    while (closed < paths.length) await new Promise((resolve) => setImmediate(resolve));
    return lines
      .map((line) => JSON.parse(line) as { msg: string; route?: string; status?: number })
      .map(({ msg, route, status }) => (msg === 'request' ? `${route} ${status}` : msg));
  };
  const FAILURES = ['request failed', 'the database is unavailable'];

  it('has what is slow or failed, and one line for all that an outage fails', async (test) => {
    const expected = [...FAILURES, '/slow 200', '/broken 500', '/broken 500'];
    assert.deepEqual((await linesOf(test, {})).toSorted(), expected.toSorted());
  });

  it('has everything but probes if asked to, or nothing', async (test) => {
    const all = ['/fine 200', 'unknown 404', '/slow 200', '/stream 200', '/broken 500', '/broken 500'];
    const away = Array.from({ length: 3 }, () => '/away 503');
    assert.deepEqual(
      (await linesOf(test, { requestLines: 'all' })).toSorted(),
      [...FAILURES, ...all, ...away].toSorted(),
    );
    test.mock.restoreAll();
    assert.deepEqual((await linesOf(test, { requestLines: 'none' })).toSorted(), FAILURES);
    test.mock.restoreAll();
    assert.equal((await linesOf(test, { requestLines: 'none', level: 'debug' })).length, 12, 'probes, too');
  });
});
