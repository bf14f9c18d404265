import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import type { Static } from 'typebox';
import { runDueJobs } from '../../src/waitlist/jobs/job-runner.ts';
import type { HeldJob } from '../../src/waitlist/jobs/jobs.ts';
import { deleteEndpoint } from '../../src/webhooks/change-endpoints.ts';
import { replayFailed, replayJob, retryPending } from '../../src/webhooks/replay-job.ts';
import type { JobSchema } from '../../src/wire/job.ts';
import { type DocumentedClient, documentedClient } from '../support/documented-client.ts';
import { forEachEngine, type List, type Service, startService } from '../support/harness.ts';
import { endpointFor, LOOPBACK } from '../support/webhooks.ts';

type Job = Static<typeof JobSchema>;

const FAILED = 1_200;

forEachEngine('bulk', (engine) => {
  describe('a replay of many failed deliveries', () => {
    let service: Service;
    let admin: DocumentedClient;
    before(async () => {
      service = await startService(engine, { environment: LOOPBACK });
      admin = await documentedClient(service, 'admin');
    });
    after(() => service.close());

    /** An endpoint to which nothing could be delivered. */
    const failing = async () => {
      const list = await service.waitlist();
      const queue = await list.queue();
      const { id } = await endpointFor(service.context, queue, 'http://127.0.0.1:9/');
      for (let from = 0; from < FAILED; from += 100)
        await list.signup(...Array.from({ length: 100 }, (_, i) => ({ email: `p${from + i}@example.com` })));
      await service.context.db.query
        .updateTable('delivery')
        .set({ due_at: null, failed_at: service.clock.now, tries: 9 })
        .where('queue_id', '=', queue.id)
        .execute();
      return { list, endpoint: id };
    };
    const failedOf = async (list: List) => {
      const { id } = await list.queue();
      const rows = await service.context.db.query
        .selectFrom('delivery')
        .select(['failed_at', 'due_at', 'tries'])
        .where('queue_id', '=', id)
        .execute();
      const failed = rows.filter(({ failed_at }) => failed_at !== null).length;
      const due = rows.filter(({ due_at, tries }) => due_at !== null && tries === 0).length;
      assert.equal(failed + due, FAILED);
      return failed;
    };
    const start = async ({ list, endpoint }: Awaited<ReturnType<typeof failing>>) => {
      const path = `/waitlists/${list.id}/webhooks/${endpoint}/replay`;
      const body = { from: '2020-01-01T00:00:00Z' };
      return (await admin.call<Job>('replayDeliveries', 'POST', path, { body })).body;
    };
    const jobOf = async (id: string) => (await admin.call<Job>('getJob', 'GET', `/jobs/${id}`)).body;
    /** Runs the job on a server that stops before its second step, and on one that goes on. */
    const runOnTwoServers = async (meanwhile: () => Promise<unknown>) => {
      let steps = 0;
      let runs = 0;
      const run: typeof replayJob.run = async (context, queue, job: HeldJob) => {
        if (++runs === 2) await meanwhile();
        const stopping = () => ++steps === 2;
        return replayJob.run(context, queue, { ...job, lease: { ...job.lease, stopping } } as never);
      };
      await runDueJobs(service.context, [{ ...replayJob, run }]);
      assert.equal(runs, 2);
    };

    it('sends what waits for its next attempt at once, and leaves attempts under way alone', async () => {
      const list = await service.waitlist();
      const queue = await list.queue();
      const { id: endpoint } = await endpointFor(service.context, queue, 'http://127.0.0.1:9/');
      const people = ['waits', 'under-way', 'untried'].map((name) => ({ email: `${name}@example.com` }));
      await list.signup(...people);
      const { query } = service.context.db;
      const rows = await query.selectFrom('delivery').selectAll().where('queue_id', '=', queue.id).execute();
      const [waits, underWay] = rows.map(({ event_id }) => event_id);
      const later = service.clock.now + 3_600_000;
      for (const event of [waits, underWay])
        await query
          .updateTable('delivery')
          .set({ due_at: later, tries: 1 })
          .where('event_id', '=', event as Buffer)
          .execute();
      await sql`update delivery set attempts = 1 where due_at = ${later}`.execute(query);
      const { queue_id, channel, target_id } = rows[0] as (typeof rows)[0];
      await query
        .insertInto('delivery_attempt')
        .values({
          ...{ queue_id, channel, target_id, event_id: waits as Buffer, attempt: 1 },
          ...{ at: service.clock.now, duration_ms: 1, status: 500, error: 'no', response: null },
        })
        .execute();
      const path = `/waitlists/${list.id}/webhooks/${endpoint}/replay`;
      const body = { from: '2020-01-01T00:00:00Z', state: 'pending' };
      const { total } = (await admin.call<Job>('replayDeliveries', 'POST', path, { body })).body;
      assert.equal(total, 1);
      await runDueJobs(service.context, [replayJob]);
      const due = async (event: Uint8Array | undefined) =>
        (
          await query
            .selectFrom('delivery')
            .select('due_at')
            .where('event_id', '=', event as Buffer)
            .executeTakeFirstOrThrow()
        ).due_at;
      assert.ok(((await due(waits)) ?? later) < later);
      assert.equal(await due(underWay), later);
      assert.deepEqual(
        await retryPending(service.context, endpoint),
        { replayed: 1 },
        'as often as one likes',
      );
    });

    it('runs in steps with a progress, and goes on after it was stopped', async () => {
      const given = await failing();
      const { id, kind, state, done, total } = await start(given);
      assert.deepEqual([kind, state, done, total], ['replay', 'queued', 0, FAILED]);
      const { object, after: facts } = await admin.audited('delivery.replayed');
      assert.deepEqual([object.id, facts?.job, facts?.state], [given.endpoint, id, 'failed']);
      await runOnTwoServers(async () => {
        assert.deepEqual([(await jobOf(id)).done, await failedOf(given.list)], [500, FAILED - 500]);
      });
      const job = await jobOf(id);
      assert.deepEqual([job.state, job.done, job.result], ['done', FAILED, { replayed: FAILED }]);
      assert.equal(await failedOf(given.list), 0);
    });

    it('can be cancelled between two steps', async () => {
      const given = await failing();
      const { id } = await start(given);
      await runOnTwoServers(() => admin.call('cancelJob', 'DELETE', `/jobs/${id}`));
      const job = await jobOf(id);
      assert.deepEqual([job.state, job.done], ['cancelled', 500]);
      assert.equal(await failedOf(given.list), FAILED - 500);
    });

    it('ends with an error when its endpoint is deleted', async () => {
      const given = await failing();
      const { id } = await start(given);
      await deleteEndpoint(service.context, given.endpoint);
      await service.runJobs();
      const job = await jobOf(id);
      assert.deepEqual([job.state, job.error], ['failed', `there is no webhook endpoint ${given.endpoint}`]);
    });

    it('from the command line is a job too, which a server finishes if the command is killed', async () => {
      const given = await failing();
      const context = { ...service.context };
      let commits = 0;
      const killed: typeof context.db.transaction = (work) => {
        if (++commits > 2) throw new Error('killed');
        return service.context.db.transaction(work);
      };
      context.db = Object.assign(Object.create(context.db), { transaction: killed });
      await assert.rejects(replayFailed(context, given.endpoint, 0), /killed/);
      assert.equal(await failedOf(given.list), FAILED - 500);
      await service.runJobs();
      assert.equal(await failedOf(given.list), FAILED - 500, 'the command still has its lease');
      service.clock.advance(60_000);
      await service.runJobs();
      assert.equal(await failedOf(given.list), 0);
      assert.deepEqual(await replayFailed(service.context, given.endpoint, 0), { replayed: 0 });
    });
  });
});
