import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Static } from 'typebox';
import { DatabaseUnavailable } from '../../src/db/database.ts';
import { invalid } from '../../src/lib/errors.ts';
import { formatId } from '../../src/lib/ids.ts';
import { createInviteRun, resumeInviteRun, startInviteRun } from '../../src/waitlist/invites/invite-run.ts';
import { endCancelledJobs, forgetOldJobs } from '../../src/waitlist/jobs/forget-jobs.ts';
import { pauseAfter, runDueJobs, startJobs, takeLeasesBack } from '../../src/waitlist/jobs/job-runner.ts';
import {
  advanceJob,
  createJob,
  finishJob,
  type HeldJob,
  type JobKind,
  LEASE_MS,
  readProgress,
} from '../../src/waitlist/jobs/jobs.ts';
import { changeQueue } from '../../src/waitlist/queue/change-queue.ts';
import type { Queue } from '../../src/waitlist/queue/queue.ts';
import type { JobSchema } from '../../src/wire/job.ts';
import { assertError, eventually, forEachEngine, type Service, startService } from '../support/harness.ts';
import { adminToken } from '../support/operators.ts';

type Job = Static<typeof JobSchema>;

/** Counts to `to`; each step tells the test, which can interfere. */
function counting(onStep: (at: number) => Promise<void> | void = () => {}): JobKind {
  return {
    kind: 'count',
    run: async (context, queue, { lease, input: { to } }: HeldJob<{ to: number }>) => {
      for (let at = 0; at < to; ) {
        at = await changeQueue(context, queue, async (change) => {
          const next = (await readProgress<number>(change.trx, queue, lease)) + 1;
          if (next === to) finishJob(change, lease, next, { done: next, result: { counted: next } });
          else advanceJob(change, lease, next, { done: next });
          return next;
        });
        await onStep(at);
      }
    },
  };
}

forEachEngine((engine) => {
  describe('jobs', () => {
    let service: Service;
    let tokens: Record<'viewer' | 'support' | 'admin', string>;
    before(async () => {
      service = await startService(engine);
      const [viewer, support, admin] = await Promise.all(
        (['viewer', 'support', 'admin'] as const).map((role) => adminToken(service, role)),
      );
      tokens = { viewer: viewer as string, support: support as string, admin: admin as string };
    });
    after(() => service.close());

    const read = async (id: string) =>
      (await service.request<Job>('GET', `/admin/v1/jobs/${id}`, { key: tokens.support })).body;
    const cancel = (id: string, key = tokens.admin) =>
      service.request<Job>('DELETE', `/admin/v1/jobs/${id}`, { key });
    const start = async (queue: Queue, to: number) => {
      const { context } = service;
      const { id } = await changeQueue(context, queue, async (change) =>
        createJob({ actor: 'token:tok_x' }, change, {
          kind: 'count',
          input: { to },
          progress: 0,
          total: to,
          runner: 'server',
        }),
      );
      return formatId('job', id);
    };
    const newQueue = async () => (await service.waitlist()).queue();

    it('run in steps and tell how far they are', async () => {
      const queue = await newQueue();
      const id = await start(queue, 3);
      const queued = await read(id);
      assert.deepEqual([queued.state, queued.done, queued.total], ['queued', 0, 3]);
      assert.equal(queued.createdBy, 'token:tok_x');
      assert.equal(queued.waitlistId, queue.waitlist.id);
      const seen: unknown[] = [];
      const kind = counting(async (at) => {
        const { state, done } = await read(id);
        seen.push([at, state, done]);
      });
      await runDueJobs(service.context, [kind]);
      assert.deepEqual(seen, [
        [1, 'running', 1],
        [2, 'running', 2],
        [3, 'done', 3],
      ]);
      const { state, result, error, finishedAt } = await read(id);
      assert.deepEqual([state, result, error], ['done', { counted: 3 }, null]);
      assert.ok(finishedAt);
      assertError(await cancel(id), 409, 'conflict', 'this job is already done');
    });

    it('are continued by another instance once the lease of a dead one ends, and not before', async () => {
      const queue = await newQueue();
      const id = await start(queue, 4);
      const { context } = service;
      const dying = counting((at) => {
        if (at === 2) return new Promise(() => {}); // A process that died.
      });
      void runDueJobs(context, [dying]);
      await eventually(
        () => read(id),
        ({ done }) => done === 2,
      );
      const seen: number[] = [];
      const kind = counting((at) => void seen.push(at));
      await runDueJobs(context, [kind]);
      assert.deepEqual(seen, []);
      service.clock.advance(LEASE_MS);
      assert.equal((await read(id)).state, 'queued');
      await runDueJobs(context, [kind]);
      assert.deepEqual(seen, [3, 4]);
      assert.equal((await read(id)).state, 'done');
    });

    it('do not let a late process write after another one took over', async () => {
      const queue = await newQueue();
      const id = await start(queue, 4);
      const { context } = service;
      let wake = () => {};
      const asleep = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const late = runDueJobs(context, [counting((at) => (at === 1 ? asleep : undefined))]);
      await eventually(
        () => read(id),
        ({ done }) => done === 1,
      );
      service.clock.advance(LEASE_MS);
      const seen: number[] = [];
      await runDueJobs(context, [counting((at) => void seen.push(at))]);
      wake();
      await late;
      assert.deepEqual(seen, [2, 3, 4]);
      const { state, done } = await read(id);
      assert.deepEqual([state, done], ['done', 4]);
    });

    it('end between two steps when they are cancelled, and what they did stays', async () => {
      const queue = await newQueue();
      const id = await start(queue, 5);
      const cleaned: string[] = [];
      const kind: JobKind = {
        ...counting(async (at) => {
          if (at === 2) assert.equal((await cancel(id)).body.state, 'running');
        }),
        cleanUp: async (_, job) => void cleaned.push(formatId('job', job)),
      };
      await runDueJobs(service.context, [kind]);
      const { state, done, result } = await read(id);
      assert.deepEqual([state, done, result], ['cancelled', 2, null]);
      assert.deepEqual(cleaned, [id]);
    });

    it('keep what they did in their result, however they end', async () => {
      const endings: [string, string, (id: string) => unknown][] = [
        ['cancelled', 'it is cancelled', (id) => cancel(id)],
        ['failed', 'it fails', () => Promise.reject(invalid('no more'))],
      ];
      for (const [state, when, end] of endings) {
        const id = await start(await newQueue(), 5);
        const kind: JobKind = {
          kind: 'count',
          run: async (context, queue, { lease }) => {
            for (let at = 1; ; at += 1) {
              await changeQueue(context, queue, async (change) => {
                await readProgress(change.trx, queue, lease);
                advanceJob(change, lease, at, { done: at, result: { counted: at } });
              });
              assert.equal((await read(id)).result, null, 'not while it runs');
              if (at === 3) await end(id);
            }
          },
        };
        await runDueJobs(service.context, [kind]);
        const ended = await read(id);
        assert.deepEqual([ended.state, ended.result], [state, { counted: 3 }], when);
      }
    });

    it('show one state when they are cancelled while they wait, before and after a server cleans up', async () => {
      const queue = await newQueue();
      const id = await start(queue, 2);
      const { body } = await cancel(id);
      assert.deepEqual([body.state, body.finishedAt !== null], ['cancelled', true]);
      assertError(await cancel(id), 409, 'conflict', 'this job is already cancelled');
      service.clock.advance(500);
      const seen: string[] = [];
      const kind: JobKind = {
        ...counting(() => assert.fail('it ran')),
        cleanUp: async () => void seen.push((await read(id)).state),
      };
      await runDueJobs(service.context, [kind]);
      assert.deepEqual(seen, ['cancelled']);
      assert.deepEqual(await read(id), body);
    });

    it('are kept by a server that works on them, however long a step takes', async () => {
      const queue = await newQueue();
      const id = await start(queue, 2);
      const { context, clock } = service;
      let go = () => {};
      const waiting = new Promise<void>((resolve) => {
        go = resolve;
      });
      const runner = startJobs(context, [counting((at) => (at === 1 ? waiting : undefined))], {
        lookMs: 5,
        renewMs: 5,
      });
      await eventually(
        () => read(id),
        ({ done }) => done === 1,
      );
      const leaseUntil = async () => {
        const rows = context.db.query
          .selectFrom('job')
          .select('lease_until')
          .where('queue_id', '=', queue.id);
        return (await rows.executeTakeFirstOrThrow()).lease_until ?? 0;
      };
      for (let round = 0; round < 4; round += 1) {
        clock.advance(LEASE_MS / 2);
        const until = await eventually(leaseUntil, (end) => end === clock.now + LEASE_MS);
        assert.equal(until, clock.now + LEASE_MS, 'the lease was renewed');
      }
      go();
      const ended = await eventually(
        () => read(id),
        ({ state }) => state === 'done',
      );
      assert.deepEqual([ended.state, ended.done], ['done', 2]);
      await runner.close();
    });

    it('of a server that died are taken back by the next one, without waiting for the lease', async () => {
      const queue = await newQueue();
      const id = await start(queue, 3);
      const { context } = service;
      void runDueJobs(context, [counting((at) => (at === 1 ? new Promise(() => {}) : undefined))]);
      await eventually(
        () => read(id),
        ({ done }) => done === 1,
      );
      assert.equal((await read(id)).state, 'running');
      await takeLeasesBack(context);
      await runDueJobs(context, [counting()]);
      assert.deepEqual([(await read(id)).state, (await read(id)).done], ['done', 3]);
    });

    it('that cannot be written are tried less and less often, and the log says so once', async () => {
      const own = await startService(engine);
      try {
        const list = await own.waitlist();
        const { id } = await changeQueue(own.context, await list.queue(), async (change) =>
          createJob({}, change, { kind: 'count', input: { to: 1 }, progress: 0, runner: 'server' }),
        );
        let attempts = 0;
        const kind: JobKind = {
          ...counting(),
          run: async (context, queue, job) => {
            attempts += 1;
            if (attempts < 6) throw new DatabaseUnavailable('database or disk is full');
            await counting().run(context, queue, job);
          },
        };
        const runner = startJobs(own.context, [kind], { lookMs: 2, renewMs: 1_000 });
        const job = await eventually(
          () =>
            own.context.db.query.selectFrom('job').select('outcome').where('id', '=', id).executeTakeFirst(),
          (row) => row?.outcome === 'done',
        );
        await runner.close();
        assert.deepEqual([job?.outcome, attempts], ['done', 6]);
        const lines = own.log.map((line) => JSON.parse(line)).filter(({ msg }) => /job/.test(msg));
        assert.deepEqual(
          lines.map(({ msg, reason }) => [msg, reason]),
          [['jobs: failing', 'database or disk is full']],
        );
      } finally {
        await own.close();
      }
      assert.deepEqual(
        [1, 2, 3, 6, 20].map((failures) => pauseAfter(failures, 500)),
        [1_000, 2_000, 4_000, 30_000, 30_000],
      );
    });

    it('never start when they are cancelled before', async () => {
      const queue = await newQueue();
      const id = await start(queue, 2);
      assert.equal((await cancel(id)).body.state, 'cancelled');
      await runDueJobs(service.context, [counting(() => assert.fail('it ran'))]);
      assert.equal((await read(id)).state, 'cancelled');
      const { body } = await service.request<{ records: { action: string }[] }>(
        'GET',
        `/admin/v1/audit?object=job:${id}`,
        { key: tokens.admin },
      );
      assert.deepEqual(
        body.records.map(({ action }) => action),
        ['job.cancelled'],
      );
    });

    it('fail with an error in words, and never with the message of a bug', async () => {
      const queue = await newQueue();
      const said = await start(queue, 1);
      const refuse: JobKind = { kind: 'count', run: () => Promise.reject(invalid('file: is empty')) };
      await runDueJobs(service.context, [refuse]);
      const { state, error } = await read(said);
      assert.deepEqual([state, error], ['failed', 'file: is empty']);
      const unsaid = await start(queue, 1);
      const broken: JobKind = { kind: 'count', run: () => Promise.reject(new Error('ada@example.com')) };
      await runDueJobs(service.context, [broken]);
      const failed = await read(unsaid);
      assert.equal(failed.state, 'failed');
      assert.match(failed.error ?? '', /unexpected error/);
    });

    it('run one at a time in a queue', async () => {
      const queue = await newQueue();
      const [first, second] = [await start(queue, 2), await start(queue, 2)];
      const kind = counting(async () => {
        const states = [(await read(first)).state, (await read(second)).state];
        assert.ok(states.filter((state) => state === 'running').length <= 1, states.join());
      });
      await Promise.all([runDueJobs(service.context, [kind]), runDueJobs(service.context, [kind])]);
      await runDueJobs(service.context, [kind]);
      assert.deepEqual([(await read(first)).state, (await read(second)).state], ['done', 'done']);
    });

    it('stop after the current step when the server shuts down, and the next one continues at once', async () => {
      const queue = await newQueue();
      const id = await start(queue, 1_000_000);
      const { context } = service;
      const runner = startJobs(context, [counting()]);
      await eventually(
        () => read(id),
        ({ done }) => Number(done) > 0,
      );
      await runner.close();
      const stopped = await read(id);
      assert.equal(stopped.state, 'queued');
      assert.ok(Number(stopped.done) < 1_000_000);
      await cancel(id);
      await runDueJobs(context, [counting()]);
      assert.equal((await read(id)).state, 'cancelled');
    });

    it('of the command line are not taken over by a server, and can be cancelled', async () => {
      const list = await service.waitlist();
      const queue = await list.queue();
      await list.signup({ email: 'ada@example.com' }, { email: 'bob@example.com' });
      const { context } = service;
      const { lease } = await changeQueue(context, queue, (change) =>
        createInviteRun(context, change, {
          selection: { first: 2 },
          expiresAt: null,
          runner: 'command-line',
        }),
      );
      const id = formatId('job', lease.id);
      service.clock.advance(LEASE_MS);
      await service.runJobs();
      assert.deepEqual([(await read(id)).state, (await read(id)).done], ['queued', 0]);
      const { invited } = await resumeInviteRun(context, queue, id);
      assert.equal(invited, 2);
      assert.deepEqual((await read(id)).result, { invited: 2, unreadable: 0 });
      const open = await changeQueue(context, queue, (change) =>
        createInviteRun(context, change, {
          selection: { first: 2 },
          expiresAt: null,
          runner: 'command-line',
        }),
      );
      const other = formatId('job', open.lease.id);
      service.clock.advance(LEASE_MS);
      assert.equal((await cancel(other, tokens.support)).body.state, 'cancelled');
      await assert.rejects(resumeInviteRun(context, queue, other), /there is no unfinished job/);
      const server = await start(queue, 1);
      await assert.rejects(resumeInviteRun(context, queue, server), /no unfinished job/);
      await runDueJobs(context, [counting()]);
    });

    it('of a command line that died end by upkeep once they are cancelled', async () => {
      const queue = await newQueue();
      const { context } = service;
      const run = { selection: { first: 2 }, expiresAt: null, runner: 'command-line' } as const;
      const { lease } = await changeQueue(context, queue, (change) => createInviteRun(context, change, run));
      const id = formatId('job', lease.id);
      assert.equal((await cancel(id)).body.state, 'running');
      await endCancelledJobs(context);
      assert.equal((await read(id)).finishedAt, null);
      service.clock.advance(LEASE_MS);
      assert.equal((await read(id)).state, 'cancelled');
      await endCancelledJobs(context);
      assert.ok((await read(id)).finishedAt);
    });

    it('that the command line runs stop when they are cancelled', async () => {
      const list = await service.waitlist();
      const queue = await list.queue();
      await list.signup(
        ...Array.from({ length: 100 }, (_, at) => ({ email: `p${at}@example.com`, metadata: { a: 1 } })),
      );
      const { context } = service;
      const jobs = async () =>
        (
          await service.request<{ jobs: Job[] }>('GET', `/admin/v1/waitlists/${list.id}/jobs`, {
            key: tokens.support,
          })
        ).body.jobs;
      const { db } = context;
      // Everything is undone that comes after the cancellation, whose transaction is already under way.
      let asked = false;
      const slow = {
        ...context,
        db: {
          ...db,
          transaction: async <T>(work: Parameters<typeof db.transaction<T>>[0]) => {
            const [job] = asked ? [] : await jobs();
            if (job) {
              asked = true;
              await cancel(job.id);
            }
            return db.transaction(work);
          },
        },
      };
      await assert.rejects(startInviteRun(slow, queue, { first: 100 }, null), /this job was cancelled/);
      const [job] = await jobs();
      assert.deepEqual([job?.state, job?.done], ['cancelled', 0]);
      assert.equal((await list.page({ status: 'invited' })).body.total, 0);
    });

    it('are listed newest first, page by page, for their waitlist and environment', async () => {
      const queue = await newQueue();
      const ids: string[] = [];
      for (let at = 0; at < 3; at += 1) {
        service.clock.advance(1);
        ids.unshift(await start(queue, 1));
      }
      const path = `/admin/v1/waitlists/${queue.waitlist.id}/jobs`;
      const page = (query: string) =>
        service.request<{ jobs: Job[]; nextCursor: string | null }>('GET', path + query, {
          key: tokens.viewer,
        });
      const first = (await page('?limit=2')).body;
      const second = (await page(`?limit=2&cursor=${first.nextCursor}`)).body;
      assert.deepEqual(
        [...first.jobs, ...second.jobs].map(({ id }) => id),
        ids,
      );
      assert.equal(second.nextCursor, null);
      assert.deepEqual((await page('?environment=development')).body.jobs, []);
      assertError(await page('?cursor=x'), 400, 'invalid_request', /^cursor:/);
      assertError(await page('?limit=201'), 400, 'invalid_request', /limit/);
      assertError(await page('?environment=nowhere'), 404, 'not_found');
      assertError(await page('?state=done'), 400, 'invalid_request', /state/);
      await runDueJobs(service.context, [counting()]);
    });

    it('that only an admin can start, only an admin can cancel', async () => {
      const queue = await newQueue();
      const id = await start(queue, 1);
      assertError(await cancel(id, tokens.support), 403, 'forbidden', 'this requires the admin role');
      assertError(await cancel(id, tokens.viewer), 403, 'forbidden');
      assertError(await cancel('job_none'), 404, 'not_found', 'there is no job job_none');
      assertError(await service.request('GET', `/admin/v1/jobs/${id}`), 401, 'unauthorized');
      assert.equal((await cancel(id)).status, 200);
      await runDueJobs(service.context, [counting()]);
    });

    it('of a busy waitlist keep neither its next ones nor those of others from their turn', async () => {
      const [busy, other] = [await newQueue(), await newQueue()];
      const first = await start(busy, 1);
      service.clock.advance(1);
      const second = await start(busy, 1);
      service.clock.advance(1);
      const others = await start(other, 1);
      let release = () => {};
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      const held: JobKind = {
        kind: 'count',
        run: async (context, queue, job) => {
          if (queue.id === busy.id) await released;
          await counting().run(context, queue, job);
        },
      };
      const jobs = startJobs(service.context, [held], { lookMs: 5 });
      try {
        await eventually(
          () => read(others),
          ({ state }) => state === 'done',
        );
        assert.equal((await read(first)).state, 'running');
        assert.equal((await read(second)).state, 'queued');
        release();
        await eventually(
          () => read(second),
          ({ state }) => state === 'done',
        );
      } finally {
        release();
        await jobs.close();
      }
    });

    it('take turns between waitlists, however many a waitlist has', async () => {
      const [many, several, single] = [await newQueue(), await newQueue(), await newQueue()];
      for (const queue of [many, many, many, several, several, several, single]) {
        await start(queue, 1);
        service.clock.advance(1);
      }
      const ran: number[] = [];
      const noting: JobKind = {
        kind: 'count',
        run: (context, queue, job) => {
          ran.push(queue.id);
          return counting().run(context, queue, job);
        },
      };
      const jobs = startJobs(service.context, [noting], { lookMs: 5 });
      try {
        await eventually(
          async () => ran.length,
          (count) => count === 7,
        );
      } finally {
        await jobs.close();
      }
      // Each waitlist has had its first turn before any has its third.
      const third = ran.findIndex((id, at) => ran.slice(0, at).filter((each) => each === id).length === 2);
      assert.ok(ran.indexOf(single.id) < third, String(ran));
    });

    it('of waitlists whose keys are damaged wait, and those of others run', async () => {
      const [damaged, well] = [await newQueue(), await newQueue()];
      const stuck = [await start(damaged, 1), await start(damaged, 1), await start(damaged, 1)];
      service.clock.advance(1);
      const fine = await start(well, 1);
      const { query } = service.context.db;
      const keys = await query
        .selectFrom('queue')
        .select('wrapped_keys')
        .where('id', '=', damaged.id)
        .executeTakeFirstOrThrow();
      const write = async (wrapped_keys: Uint8Array) => {
        await query.updateTable('queue').set({ wrapped_keys }).where('id', '=', damaged.id).execute();
        await query
          .updateTable('instance')
          .set((e) => ({ settings_version: e('settings_version', '+', 1) }))
          .execute();
        service.context.registry.recheck();
      };
      await write(Buffer.from('damaged'));
      const jobs = startJobs(service.context, [counting()], { lookMs: 5 });
      try {
        await eventually(
          () => read(fine),
          ({ state }) => state === 'done',
        );
        await write(keys.wrapped_keys);
        for (const id of stuck)
          await eventually(
            () => read(id),
            ({ state }) => state === 'done',
          );
      } finally {
        await jobs.close();
      }
    });

    it('are forgotten 30 days after they ended', async () => {
      const queue = await newQueue();
      const [finished, open] = [await start(queue, 1), await start(queue, 1)];
      await cancel(open);
      const onlyFirst: JobKind = counting();
      await runDueJobs(service.context, [onlyFirst]);
      const stays = await start(queue, 1);
      service.clock.advance(30 * 86_400_000 + 1);
      await forgetOldJobs(service.context);
      const path = `/admin/v1/jobs/${finished}`;
      assertError(await service.request('GET', path, { key: tokens.viewer }), 404, 'not_found');
      assert.equal((await read(stays)).state, 'queued');
    });
  });
});
