import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { muteStates, passStatesOn, reportedStates, reportState } from './state-log.ts';

describe('reportState', () => {
  let lines: [level: string, message: string, fields: object][];
  const log = () => {
    const at = (level: string) => (fields: object, message: string) =>
      void lines.push([level, message, fields]);
    return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
  };
  const messages = () => lines.map(([, message]) => message);

  beforeEach(() => {
    lines = [];
    mock.timers.enable({ apis: ['setTimeout', 'Date'] });
  });
  afterEach(() => mock.timers.reset());

  it('logs a problem once, and its end once', () => {
    const to = log();
    reportState(to, 'mail server', 'ok');
    reportState(to, 'mail server', 'unreachable', { server: 'mail.example.com:587' });
    reportState(to, 'mail server', 'unreachable', { server: 'mail.example.com:587' });
    mock.timers.tick(61_000);
    reportState(to, 'mail server', 'ok', { server: 'mail.example.com:587' });
    assert.deepEqual(lines, [
      ['warn', 'mail server: unreachable', { state: 'unreachable', server: 'mail.example.com:587' }],
      ['info', 'mail server: ok again', { state: 'ok', server: 'mail.example.com:587' }],
    ]);
  });

  it('writes at most one line a minute for each name, with the latest state', () => {
    const to = log();
    reportState(to, 'a', 'down');
    reportState(to, 'b', 'down');
    reportState(to, 'a', 'ok');
    reportState(to, 'a', 'slow');
    assert.deepEqual(messages(), ['a: down', 'b: down']);
    assert.equal(reportedStates(to).find(({ name }) => name === 'a')?.state, 'slow');
    mock.timers.tick(60_000);
    assert.deepEqual(messages(), ['a: down', 'b: down', 'a: slow']);
  });

  it('logs nothing when a problem ends and returns within the minute', () => {
    const to = log();
    reportState(to, 'a', 'down');
    reportState(to, 'a', 'ok');
    reportState(to, 'a', 'down');
    mock.timers.tick(60_000);
    assert.deepEqual(messages(), ['a: down']);
  });

  it('keeps the states of different logs apart', () => {
    const [first, second] = [log(), log()];
    reportState(first, 'a', 'down');
    reportState(second, 'a', 'ok');
    assert.deepEqual(reportedStates(second), []);
  });

  it('leaves it to another thread, until states no longer matter', () => {
    const [here, there] = [log(), log()];
    passStatesOn(here, (name, state, fields) => reportState(there, name, state, fields));
    reportState(there, 'database', 'unavailable');
    reportState(here, 'database', 'unavailable');
    assert.deepEqual(messages(), ['database: unavailable']);
    muteStates(here);
    reportState(here, 'readiness', 'not ready');
    assert.deepEqual(messages(), ['database: unavailable']);
  });
});
