import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { formatId } from '../../src/lib/ids.ts';
import { openOperators } from '../../src/operators/context.ts';
import { COMMAND_LINE } from '../../src/operators/roles.ts';
import { listTokens, revokeToken } from '../../src/operators/tokens.ts';
import { advanceJob, createJob, endJob } from '../../src/waitlist/jobs/jobs.ts';
import { changeQueue } from '../../src/waitlist/queue/change-queue.ts';
import type { QueueChange } from '../../src/waitlist/queue/queue-change.ts';
import { deleteWaitlist } from '../../src/waitlist/settings/delete-waitlist.ts';
import { updateWaitlist } from '../../src/waitlist/settings/update-waitlist.ts';
import { assertError, forEachEngine, type List, type Service, startService } from '../support/harness.ts';
import { adminToken, type Browser, join, setUp } from '../support/operators.ts';
import { openStream, type Stream } from '../support/stream.ts';

forEachEngine('notifications', (engine) => {
  describe('the stream', () => {
    let service: Service;
    let owner: Browser;
    let token: string;
    let list: List;
    before(async () => {
      service = await startService(engine, { streamTimes: { roundMs: 10, checkMs: 20 } });
      owner = await setUp(service);
      token = await adminToken(service, 'viewer');
      list = await service.waitlist();
    });
    after(() => service.close());

    const watch = (query: string, headers: Record<string, string> = { authorization: `Bearer ${token}` }) =>
      openStream(`${service.url}/admin/v1/stream${query}`, headers);
    const cookieOf = ({ cookies }: Browser) => ({
      cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
    });

    it('starts with the current counters and tells each change', async (test) => {
      await list.signup({ email: 'a@example.com' }, { email: 'b@example.com' });
      const stream = await watch(`?waitlist=${list.id}`);
      test.after(() => stream.close());
      const about = { waitlistId: list.id, environment: 'production' };
      const empty = { ...about, pending: 0, invited: 0, joined: 0, removed: 0, declined: 0 };
      assert.deepEqual(await stream.next('counters'), { ...empty, waiting: 2, signups: 2 });
      assert.deepEqual(await stream.next('delivery'), {
        ...about,
        webhooks: { pending: 0, failed: 0 },
        emails: { pending: 0, failed: 0 },
      });
      await list.signup({ email: 'c@example.com' });
      assert.deepEqual(await stream.next('counters'), { ...empty, waiting: 3, signups: 3 });
      await list.invite('a@example.com');
      assert.deepEqual(await stream.next('counters'), { ...empty, waiting: 2, invited: 1, signups: 3 });
    });

    it('tells what waits to be delivered and what failed, of a queue and of the installation', async (test) => {
      const { db } = service.context;
      const list = await service.waitlist();
      const queue = await list.queue();
      const row = (channel: string, id: string, state: object) => ({
        queue_id: queue.id,
        channel,
        target_id: Buffer.from('target'),
        event_id: Buffer.from(id),
        due_at: null,
        ...state,
      });
      await db.query
        .insertInto('delivery')
        .values([
          row('webhook', 'a', { due_at: Date.UTC(2100, 0) }),
          row('webhook', 'b', { failed_at: 1 }),
          row('webhook', 'c', { delivered_at: 1 }),
          row('email', 'd', { failed_at: 1 }),
        ])
        .execute();
      const stream = await watch(`?waitlist=${list.id}`);
      const whole = await watch('');
      test.after(() => Promise.all([stream.close(), whole.close()]));
      const about = { waitlistId: list.id, environment: 'production' };
      const wanted = { ...about, webhooks: { pending: 1, failed: 1 }, emails: { pending: 0, failed: 1 } };
      assert.deepEqual(await stream.next('delivery'), wanted);
      const { webhooks, waitlistId } = (await whole.next('delivery')) as typeof wanted;
      assert.deepEqual([webhooks, waitlistId], [wanted.webhooks, null]);
      await db.query.deleteFrom('delivery').where('queue_id', '=', queue.id).execute();
      assert.deepEqual(await stream.next('delivery'), {
        ...about,
        webhooks: { pending: 0, failed: 0 },
        emails: { pending: 0, failed: 0 },
      });
    });

    it('tells how far jobs are, those of the queue or of the whole installation', async (test) => {
      const list = await service.waitlist();
      const queue = await list.queue();
      const stream = await watch(`?waitlist=${list.id}`);
      const whole = await watch('');
      test.after(() => Promise.all([stream.close(), whole.close()]));
      await Promise.all([stream.next('counters'), whole.next('delivery')]);
      const change = <T>(work: (change: QueueChange) => Promise<T>) =>
        changeQueue(service.context, queue, work);
      const lease = await change(async (trx) =>
        createJob({ actor: 'command-line' }, trx, {
          kind: 'test',
          input: {},
          total: 3,
          runner: 'command-line',
        }),
      );
      const id = formatId('job', lease.id);
      const shape = ({ id, kind, state, done, total, waitlistId }: Record<string, unknown>) => ({
        ...{ id, kind, state, done, total, waitlistId },
      });
      const begun = { id, kind: 'test', state: 'running', done: 0, total: 3, waitlistId: list.id };
      const next = async (from: Stream) => shape((await from.next('job')) as Record<string, unknown>);
      assert.deepEqual(await next(stream), begun);
      assert.deepEqual(await next(whole), begun);
      await change(async (trx) => advanceJob(trx, lease, {}, { done: 2 }));
      assert.deepEqual(await next(stream), { ...begun, done: 2 });
      assert.deepEqual(await next(whole), { ...begun, done: 2 });
      await change(async (trx) => endJob(trx, lease.id, 'cancelled'));
      assert.equal((await next(stream)).state, 'cancelled');
      const late = await watch(`?waitlist=${list.id}`);
      test.after(() => late.close());
      assert.equal((await next(late)).state, 'cancelled', 'a reader who joins later sees the outcome');
    });

    it('keeps environments apart, and does not exist for an unknown waitlist', async (test) => {
      const stream = await watch(`?waitlist=${list.id}&environment=development`);
      test.after(() => stream.close());
      assert.equal(((await stream.next('counters')) as { signups: number }).signups, 0);
      for (const query of ['?waitlist=wl_none', `?waitlist=${list.id}&environment=none`])
        assertError(
          await service.request('GET', `/admin/v1/stream${query}`, { key: token }),
          404,
          'not_found',
        );
      assertError(
        await service.request('GET', '/admin/v1/stream?waitlst=wl_x', { key: token }),
        400,
        'invalid_request',
        /waitlst/,
      );
      assertError(await service.request('GET', '/admin/v1/stream'), 401, 'unauthorized');
    });

    it('watches several waitlists, each in its environment, and leaves out what does not exist', async (test) => {
      const [first, second] = [await service.waitlist(), await service.waitlist()];
      await second.signup({ email: 'a@example.com' });
      const watched = [
        first.id,
        `${first.id}:development`,
        second.id,
        'wl_none',
        `${second.id}:none`,
        first.id,
      ];
      const stream = await watch(`?waitlist=${watched.join()}`);
      test.after(() => stream.close());
      const told = new Set<string>();
      while (told.size < 3) {
        const { waitlistId, environment, signups } = (await stream.next('counters')) as Record<
          string,
          unknown
        >;
        told.add(`${waitlistId} ${environment} ${signups}`);
      }
      const state = (id: string, environment: string, signups: number) => `${id} ${environment} ${signups}`;
      assert.deepEqual(
        [...told].toSorted(),
        [
          state(first.id, 'development', 0),
          state(first.id, 'production', 0),
          state(second.id, 'production', 1),
        ].toSorted(),
      );
      await first.signup({ email: 'a@example.com' });
      const { waitlistId, signups } = (await stream.next('counters')) as Record<string, unknown>;
      assert.deepEqual([waitlistId, signups], [first.id, 1]);

      const refused = (query: string) =>
        service.request('GET', `/admin/v1/stream?waitlist=${query}`, { key: token });
      assertError(await refused('wl_none,wl_other'), 404, 'not_found');
      assertError(await refused(`${first.id}:none`), 404, 'not_found', /no environment none/);
      const many = Array.from({ length: 21 }, (_, index) => `wl_${index}`).join();
      assertError(await refused(many), 400, 'invalid_request', /waitlist: at most 20/);
      await deleteWaitlist(service.context, second.id, second.id);
      await stream.ended;
    });

    it('is answered so that browsers and proxies pass it on at once', async (test) => {
      const stream = await watch('', cookieOf(owner));
      test.after(() => stream.close());
      assert.equal(stream.headers['content-type'], 'text/event-stream; charset=utf-8');
      assert.equal(stream.headers['cache-control'], 'no-store');
      assert.equal(stream.headers['x-accel-buffering'], 'no');
      assert.equal(stream.headers['content-encoding'], undefined);
      assert.equal(stream.headers['transfer-encoding'], 'chunked');
      assert.ok(stream.headers['x-request-id']);
      assertError(
        { ...(await service.request('POST', '/admin/v1/stream', { key: token })) },
        405,
        'method_not_allowed',
      );
    });

    it('ends with the sign-out, a new role, or the end of a token', async () => {
      const ada = await join(service, owner, 'support', 'ada@example.com');
      const { operator } = (await ada.get<{ operator: { id: string } }>('/me')).body;
      const first = await watch(`?waitlist=${list.id}`, cookieOf(ada));
      await first.next('counters');
      await owner.patch(`/operators/${operator.id}`, { role: 'viewer' });
      await first.ended;
      const second = await watch('', cookieOf(ada));
      await second.next('delivery');
      await ada.delete('/session');
      await second.ended;

      const opened = await openOperators(service.context);
      const short = await adminToken(service, 'viewer', 'short');
      const third = await watch('', { authorization: `Bearer ${short}` });
      await third.next('delivery');
      const { id = '' } = (await listTokens(opened)).find(({ name }) => name === 'short') ?? {};
      await revokeToken(opened, COMMAND_LINE, id);
      await third.ended;
    });

    it('ends when its waitlist is deleted, and the stream of the installation goes on', async (test) => {
      const gone = await service.waitlist();
      const stream = await watch(`?waitlist=${gone.id}`);
      const whole = await watch('');
      test.after(() => Promise.all([stream.close(), whole.close()]));
      await Promise.all([stream.next('counters'), whole.next('delivery')]);
      await deleteWaitlist(service.context, gone.id, gone.id);
      await stream.ended;
      const other = await service.waitlist();
      await other.signup({ email: 'a@example.com' });
      await updateWaitlist(service.context, other.id, { boost: 9 });
      assert.ok(await whole.next('job'));
    });

    it('does not keep an idle session alive', async (test) => {
      const before = await service.context.db.query
        .selectFrom('operator_session')
        .select('seen_at')
        .execute();
      const stream = await watch('', cookieOf(owner));
      test.after(() => stream.close());
      await stream.next('delivery');
      service.clock.advance(service.config.sessions.idleMs + 1);
      await stream.ended;
      const afterwards = await service.context.db.query
        .selectFrom('operator_session')
        .select('seen_at')
        .execute();
      assert.deepEqual(afterwards, before);
    });

    it('ends when the server stops, so that stopping does not wait for it', async () => {
      const stream = await watch(`?waitlist=${list.id}`);
      await stream.next('counters');
      await service.drain();
      await stream.ended;
      assertError(await service.request('GET', '/admin/v1/stream', { key: token }), 503, 'unavailable');
    });
  });
});
