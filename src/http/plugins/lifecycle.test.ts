import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, type TestContext } from 'node:test';
import Fastify, { type FastifyInstance } from 'fastify';
import { createLogger } from '../../lib/log.ts';
import { UNMETERED } from '../../lib/meter.ts';
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
