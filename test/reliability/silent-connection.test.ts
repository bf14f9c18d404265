import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PostgresLimits } from '../../src/db/postgres/pool.ts';
import { reportedStates } from '../../src/lib/state-log.ts';
import { clientFor, eventually, listOver } from '../support/harness.ts';
import { startProcess } from '../support/process.ts';
import { scriptOf } from '../support/program.ts';
import { proxiedPostgres } from '../support/proxied.ts';
import { startReceiver } from '../support/receiver.ts';
import { jsonOf } from '../support/terminal.ts';
import { endpointFor, inState, startSending } from '../support/webhooks.ts';

const SERVE = scriptOf('serve-process');
/** Long enough for a busy machine. */
const LIMITS: PostgresLimits = {
  connectMs: 3_000,
  statementMs: 2_000,
  silenceMs: 3_000,
  idleInTransactionMs: 2_000,
};

const crowd = (count: number) => Array.from({ length: count }, (_, n) => n);

describe('connections to PostgreSQL that go silent', () => {
  it('are dropped: pending requests get a 503, and work continues over new connections', async () => {
    const { storage, proxy, close } = await proxiedPostgres();
    const receiver = await startReceiver();
    const service = await startSending('postgres', { storage, databaseLimits: LIMITS });
    try {
      const list = await service.waitlist();
      const endpoint = await endpointFor(service.context, await list.queue(), receiver.url);
      await Promise.all(crowd(20).map((n) => list.signup({ email: `before${n}@example.com` })));
      await inState(service.context, endpoint.id, 'delivered', 20);

      proxy.silence();
      const caught = await Promise.all([
        ...crowd(10).map((n) => list.signup({ email: `during${n}@example.com` })),
        ...crowd(10).map((n) => list.lookup(`before${n}@example.com`)),
        service.request('GET', '/readyz'),
      ]);
      assert.ok(
        caught.some(({ status }) => status === 503),
        'nobody was on a silent connection',
      );
      for (const { status, text, headers } of caught) {
        assert.ok([200, 201, 503].includes(status), text);
        if (status === 503) assert.match(headers.get('retry-after') ?? '', /^[1-9]/);
      }

      const retried = await eventually(
        () => Promise.all(crowd(10).map((n) => list.signup({ email: `during${n}@example.com` }))),
        (answers) => answers.every(({ status }) => status < 300),
      );
      assert.deepEqual([...new Set(retried.map(({ body }) => body.success))], [true]);
      const ready = await eventually(
        () => service.request('GET', '/readyz'),
        ({ status }) => status === 200,
      );
      assert.equal(ready.status, 200);
      await inState(service.context, endpoint.id, 'delivered', 30);
      assert.match(service.log.join(''), /"msg":"database: unavailable"/);
      const states = reportedStates(service.context.log);
      assert.equal(states.find(({ name }) => name === 'database')?.state, 'ok');
    } finally {
      await service.close();
      await receiver.close();
      await close();
    }
  });

  const stops: [string, { limits: Partial<PostgresLimits>; stopDeadlineMs: number }, number][] = [
    ['in good order once they are given up', { limits: LIMITS, stopDeadlineMs: 60_000 }, 0],
    ['at the deadline while they are not', { limits: {}, stopDeadlineMs: 3_000 }, 1],
  ];
  for (const [how, options, exitCode] of stops) {
    it(`let the service stop ${how}`, async () => {
      const { storage, direct, proxy, close } = await proxiedPostgres();
      await jsonOf(direct.environment, 'migrate');
      await jsonOf(direct.environment, 'waitlist', 'create', 'wl_silent', '--name', 'Silent');
      const { key } = await jsonOf<{ key: string }>(
        direct.environment,
        ...['key', 'create', '--waitlist', 'wl_silent', '--env', 'production', '--read'],
      );
      const server = await startProcess(
        { ...storage.environment, LIMITS: JSON.stringify(options) },
        { script: SERVE },
      );
      try {
        const list = listOver(clientFor(server.url), 'wl_silent', key);
        await Promise.all(crowd(10).map((n) => list.signup({ email: `before${n}@example.com` })));
        proxy.silence({ all: true });
        const hanging = list.signup({ email: 'during@example.com' }).catch(() => undefined);
        server.child.kill('SIGTERM');
        const { code, stdout } = await server.finished;
        assert.equal(code, exitCode, stdout);
        await hanging;
      } finally {
        await server.stop('SIGKILL');
        await close();
      }
    });
  }
});
