import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { checkInstallation } from '../../src/installation/health.ts';
import { formatId, parseId } from '../../src/lib/ids.ts';
import { listInvites } from '../../src/waitlist/invites/browse-invites.ts';
import { listNewestJobs, readJob } from '../../src/waitlist/jobs/find-jobs.ts';
import { forgetOldJobs } from '../../src/waitlist/jobs/forget-jobs.ts';
import { runDueJobs } from '../../src/waitlist/jobs/job-runner.ts';
import {
  createJob,
  finishJob,
  type HeldJob,
  type JobKind,
  readProgress,
} from '../../src/waitlist/jobs/jobs.ts';
import { changeQueue } from '../../src/waitlist/queue/change-queue.ts';
import type { Queue } from '../../src/waitlist/queue/queue.ts';
import { readable, readableQueue } from '../../src/waitlist/queue/readable.ts';
import { updateWaitlist } from '../../src/waitlist/settings/update-waitlist.ts';
import { watch } from '../../src/waitlist/upkeep/health.ts';
import { removeDeleted } from '../../src/waitlist/upkeep/remove-deleted.ts';
import { keepUp } from '../../src/waitlist/upkeep/upkeep.ts';
import { createWave } from '../../src/waitlist/waves/change-waves.ts';
import { readWave } from '../../src/waitlist/waves/waves.ts';
import { listEndpoints } from '../../src/webhooks/endpoints.ts';
import { checkEndpoints } from '../../src/webhooks/failing-endpoints.ts';
import { assertError, forEachEngine, type List, type Service, startService } from '../support/harness.ts';
import { adminToken } from '../support/operators.ts';
import { runCommand, startProcess } from '../support/process.ts';
import { endpointFor, LOOPBACK } from '../support/webhooks.ts';

const DAMAGED = Buffer.from('damaged');
const HOUR_MS = 3_600_000;

/** Ends at once. */
const QUICK: JobKind = {
  kind: 'quick',
  run: (context, queue, { lease, input }: HeldJob<{ n: number }>) =>
    changeQueue(context, queue, async (change) => {
      await readProgress(change.trx, queue, lease);
      finishJob(change, lease, null, { done: input.n });
    }),
};

forEachEngine((engine) => {
  describe('what is damaged', () => {
    let service: Service;
    let owner: string;
    /** Its keys are damaged in production, and whole in development. */
    let locked: List;
    /** Its keys are whole, and one of each other kind is damaged. */
    let bruised: List;
    let well: List;
    let queues: Record<'locked' | 'bruised' | 'well', Queue>;
    const jobs: Record<string, string> = {};
    const waves: Record<string, string> = {};

    const job = async (queue: Queue) => {
      const { id } = await changeQueue(service.context, queue, async (change) =>
        createJob({}, change, { kind: QUICK.kind, input: { n: 1 }, runner: 'server' }),
      );
      service.clock.advance(1);
      return formatId('job', id);
    };
    const keepOpen = async (queue: Queue, name: string) => {
      const { id } = await createWave(service.context, queue, { name, keepOpen: 1 });
      service.clock.advance(1);
      return id;
    };
    const damage = (table: 'job' | 'wave' | 'webhook_endpoint', column: string, id: Buffer) =>
      service.context.db.query
        .updateTable(table)
        .set({ [column]: DAMAGED })
        .where('id', '=', id)
        .execute();
    const ask = (path: string) => service.request('GET', `/admin/v1${path}`, { key: owner });
    const invited = async (queue: Queue) =>
      (await listInvites(service.context, queue, { limit: 100 })).map(({ email }) => email);
    const stateOf = async (name: string) => (await readJob(service.context, jobs[name] ?? '')).state;

    before(async () => {
      service = await startService(engine, { environment: LOOPBACK });
      owner = await adminToken(service, 'owner');
      locked = await service.waitlist({ name: 'Locked' });
      bruised = await service.waitlist({ name: 'Bruised' });
      well = await service.waitlist({ name: 'Well' });
      queues = { locked: await locked.queue(), bruised: await bruised.queue(), well: await well.queue() };
      for (const list of [locked, bruised, well]) {
        await list.signup({ email: 'first@example.com' }, { email: 'second@example.com' });
        await list.signup({ email: 'referred@example.com', referredBy: 'second@example.com' });
        await list.invite('guest@example.com', { expiresAt: service.clock.now + HOUR_MS });
        const queue = await list.queue();
        await endpointFor(service.context, queue, 'http://127.0.0.1:1/hook');
      }
      const { context } = service;
      for (const n of [1, 2, 3]) jobs[`locked ${n}`] = await job(queues.locked);
      jobs.damaged = await job(queues.bruised);
      jobs.behind = await job(queues.bruised);
      jobs.well = await job(queues.well);
      waves.locked = await keepOpen(queues.locked, 'Locked');
      waves.damaged = await keepOpen(queues.bruised, 'Damaged');
      waves.later = await createWave(context, queues.bruised, { name: 'Later', keepOpen: 2 }).then(
        ({ id }) => id,
      );
      waves.well = await keepOpen(queues.well, 'Well');

      await damage('job', 'input', parseId('job', jobs.damaged) as Buffer);
      await damage('wave', 'plan', parseId('wav', waves.damaged) as Buffer);
      const [endpoint] = await listEndpoints(context, queues.bruised);
      await damage('webhook_endpoint', 'sealed', parseId('whe', endpoint?.id ?? '') as Buffer);
      const { query } = context.db;
      const first = (await bruised.lookup('first@example.com')).body.id;
      await query
        .updateTable('entry')
        .set({ person: DAMAGED })
        .where('id', '=', parseId('ent', first) as Buffer)
        .execute();
      await query
        .insertInto('mail_part')
        .values([
          ...['settings', 'welcome'].map((part) => ({
            ...{ waitlist_id: queues.bruised.waitlist.internalId, part, version: 2 },
            ...{ content: '{"subject', created_at: service.clock.now },
          })),
        ])
        .execute();
      await query
        .updateTable('waitlist')
        .set({ mail_version: 2, metadata_keys: '["plan', unsettled: '{"boost' })
        .where('id', '=', queues.bruised.waitlist.internalId)
        .execute();
      await query
        .updateTable('queue')
        .set({ wrapped_keys: DAMAGED })
        .where('id', '=', queues.locked.id)
        .execute();
      await query
        .updateTable('instance')
        .set((e) => ({ settings_version: e('settings_version', '+', 1) }))
        .execute();
      context.registry.recheck();
    });
    after(() => service.close());

    it('holds up no background task of others', async () => {
      const { context, clock } = service;
      clock.advance(2 * HOUR_MS);
      for (let round = 0; round < 3; round += 1) {
        await keepUp(context);
        await Promise.all([removeDeleted(context), watch(context), forgetOldJobs(context)]);
        await runDueJobs(context, [QUICK]);
        await service.runJobs();
        clock.advance(60_000);
      }
      const states = await Promise.all(['behind', 'well', 'damaged'].map(stateOf));
      assert.deepEqual(states, ['done', 'done', 'failed']);
      assert.match(
        (await readJob(context, jobs.damaged ?? '')).error ?? '',
        /^some of its data cannot be decrypted/,
      );
      const pending = await context.db.query
        .selectFrom('job')
        .select('outcome')
        .where('queue_id', '=', queues.locked.id)
        .execute();
      assert.deepEqual(
        pending.map(({ outcome }) => outcome),
        [null, null, null],
      );
      // Guests of the others have expired, and their waves have invited whoever can be read.
      assert.deepEqual((await invited(queues.well)).toSorted(), ['guest@example.com', 'second@example.com']);
      assert.deepEqual((await invited(queues.bruised)).toSorted(), [
        'guest@example.com',
        'referred@example.com',
        'second@example.com',
      ]);
      const damaged = await readWave(context, queues.bruised, waves.damaged ?? '');
      assert.deepEqual(
        [damaged.state, damaged.plan, damaged.pauseReason, damaged.resumesItself],
        ['paused', null, 'what is stored about it is damaged and cannot be read', false],
      );
      assert.equal((await readWave(context, queues.bruised, waves.later ?? '')).state, 'scheduled');
    });

    it('is logged once, not at every look', () => {
      const lines = service.log.filter((line) => line.includes(': damaged"'));
      const told = lines.map((line) => (JSON.parse(line) as { msg: string }).msg);
      assert.equal(told.length, new Set(told).size, told.join('\n'));
      for (const name of [`queue ${queues.locked.id}`, `wave ${waves.damaged}`])
        assert.ok(told.includes(`${name}: damaged`), `${name}\n${told.join('\n')}`);
      assert.ok(told.some((text) => text.startsWith('entry ent_')));
    });

    it('hides nothing else in lists, and is told as such where it is asked for', async () => {
      const { context } = service;
      assertError(await ask(`/waitlists/${locked.id}/entries`), 409, 'damaged');
      assertError(await locked.lookup('first@example.com'), 500, 'internal_error');
      for (const list of [
        '/waitlists',
        '/people?search=second%40example.com',
        '/health',
        '/environments',
        '/keys',
      ])
        assert.equal((await ask(list)).status, 200, `${list}: ${(await ask(list)).text}`);
      const rooms = ['entries', 'jobs', 'waves', 'invites', 'webhooks', 'segments', 'keys'];
      for (const room of [...rooms, 'gate-keys', 'mails', 'statistics', 'form', 'referral-reviews'])
        assert.equal((await ask(`/waitlists/${bruised.id}/${room}`)).status, 200, room);
      assertError(await ask(`/waitlists/${bruised.id}/mail/settings`), 409, 'damaged');
      const endpoints = await listEndpoints(context);
      assert.deepEqual(
        endpoints.map(({ waitlistId, url }) => [waitlistId, url]).toSorted(),
        [
          [bruised.id, null],
          [well.id, 'http://127.0.0.1:1/hook'],
        ].toSorted(),
      );
      const known = (await listNewestJobs(context, 100)).map(({ queue }) => queue.id);
      assert.ok(known.includes(queues.well.id) && known.includes(queues.bruised.id));
      await checkEndpoints(context);
      assert.ok((await checkInstallation(context, service.config)).length > 0);
    });

    it('does not keep a changed boost from the other environments, nor gives them a second job', async () => {
      const { context } = service;
      const { boost } = await updateWaitlist(context, locked.id, { boost: 9 });
      assert.equal(boost, 9);
      const development = await locked.queue('development');
      const reranks = async () =>
        (
          await context.db.query
            .selectFrom('queue_state')
            .select('rerank_after')
            .where('queue_id', '=', development.id)
            .executeTakeFirstOrThrow()
        ).rerank_after;
      assert.equal(await reranks(), 0);
      await keepUp(context);
      assert.equal(await reranks(), null, 'the readable one has followed');
      await keepUp(context);
      assert.equal(await reranks(), null, 'and does not follow again');
      const { unsettled } = await context.db.query
        .selectFrom('waitlist')
        .select('unsettled')
        .where('public_id', '=', locked.id)
        .executeTakeFirstOrThrow();
      assert.deepEqual((JSON.parse(unsettled ?? '{}') as { settled: number[] }).settled, [development.id]);
    });

    it('is read as soon as it is well again', async () => {
      const { context } = service;
      const stored = { what: 'wave', id: 'wav_again', queue: 1 } as const;
      let isWell = false;
      const open = () => {
        if (!isWell) queues.bruised.vault.open('wave.plan', Buffer.from('x'), DAMAGED);
        return 'opened';
      };
      assert.equal(readable(context, stored, open), undefined);
      isWell = true;
      assert.equal(readable(context, stored, open), 'opened');
      assert.equal(await readableQueue(context, queues.locked.id), undefined);
      assert.equal((await readableQueue(context, queues.well.id))?.id, queues.well.id);
    });

    it('stops neither the start nor doctor, which names it', async () => {
      const { environment } = service.storage;
      const examined = await runCommand(environment, 'doctor');
      assert.match(examined.stdout, new RegExp(`${locked.id} in production.*cannot be decrypted`));
      for (const what of ['the keys of', 'wave wav_', 'webhook endpoint whe_'])
        assert.match(examined.stdout, new RegExp(`WRONG +stored data: .*${what}`));
      assert.match(examined.stdout, new RegExp(`${well.id} in production`));
      const server = await startProcess({ ...environment, ...LOOPBACK });
      const ready = await fetch(`${server.url}/readyz`);
      const health = await fetch(`${server.url}/admin/v1/health`, {
        headers: { authorization: `Bearer ${owner}` },
      });
      const text = await health.text();
      assert.deepEqual([ready.status, health.status], [200, 200], text);
      assert.equal((await server.stop()).code, 0);
    });
  });
});
