import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { flushRepeated, logSparingly, passRepeatedOn } from './sparing-log.ts';

describe('logSparingly', () => {
  let lines: [level: string, message: string, fields: object][];
  const log = () => {
    const at = (level: string) => (fields: object, message: string) =>
      void lines.push([level, message, fields]);
    return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
  };
  beforeEach(() => {
    lines = [];
    mock.timers.enable({ apis: ['setTimeout'] });
  });
  afterEach(() => mock.timers.reset());

  it('writes one line a minute for each kind, with the latest and their number', () => {
    const to = log();
    for (let n = 1; n <= 500; n += 1) {
      logSparingly(to, 'error', { requestId: `req_${n}` }, 'the database is unavailable');
      logSparingly(to, 'warn', { queue: n }, 'an email is delayed');
    }
    assert.deepEqual(lines, [
      ['error', 'the database is unavailable', { requestId: 'req_1' }],
      ['warn', 'an email is delayed', { queue: 1 }],
    ]);
    lines = [];
    mock.timers.tick(60_000);
    assert.deepEqual(lines, [
      ['error', 'the database is unavailable', { requestId: 'req_500', times: 499 }],
      ['warn', 'an email is delayed', { queue: 500, times: 499 }],
    ]);
    lines = [];
    logSparingly(to, 'warn', { queue: 7 }, 'an email is delayed');
    assert.deepEqual(lines, [], 'its minute has begun with that line');
    mock.timers.tick(60_000);
    assert.deepEqual(lines, [['warn', 'an email is delayed', { queue: 7, times: 1 }]]);
  });

  it('says nothing more of what happened once, and begins anew a minute later', () => {
    const to = log();
    logSparingly(to, 'warn', {}, 'once');
    mock.timers.tick(60_000);
    logSparingly(to, 'warn', {}, 'once');
    assert.deepEqual(lines, [
      ['warn', 'once', {}],
      ['warn', 'once', {}],
    ]);
  });

  it('tells at the end what happened in a minute that is not over, once', () => {
    const to = log();
    for (let n = 1; n <= 3; n += 1) logSparingly(to, 'warn', { n }, 'again');
    logSparingly(to, 'warn', {}, 'once');
    lines = [];
    flushRepeated(to);
    assert.deepEqual(lines, [['warn', 'again', { n: 3, times: 2 }]]);
    flushRepeated(to);
    mock.timers.tick(60_000);
    assert.equal(lines.length, 1);
  });

  it('tells failures of the same words apart by their kind', () => {
    const to = log();
    for (const stack of ['at a', 'at b', 'at a'])
      logSparingly(to, 'error', { stack }, 'request failed', stack);
    assert.deepEqual(
      lines.map(([, , fields]) => fields),
      [{ stack: 'at a' }, { stack: 'at b' }],
    );
  });

  it('counts together what several threads meet', () => {
    const [main, thread] = [log(), log()];
    passRepeatedOn(thread, (kind, level, fields, message) =>
      logSparingly(main, level, fields, message, kind),
    );
    logSparingly(thread, 'warn', { n: 1 }, 'again');
    logSparingly(main, 'warn', { n: 2 }, 'again');
    mock.timers.tick(60_000);
    assert.deepEqual(
      lines.map(([, , fields]) => fields),
      [{ n: 1 }, { n: 2, times: 1 }],
    );
  });
});
