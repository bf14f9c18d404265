import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { listEntries } from '../../src/waitlist/entries/entries.ts';
import { eraseEntry } from '../../src/waitlist/entries/erase-entry.ts';
import { forgetOldJobs } from '../../src/waitlist/jobs/forget-jobs.ts';
import { runDueJobs } from '../../src/waitlist/jobs/job-runner.ts';
import type { HeldJob } from '../../src/waitlist/jobs/jobs.ts';
import type { Queue } from '../../src/waitlist/queue/queue.ts';
import { updateWaitlist } from '../../src/waitlist/settings/update-waitlist.ts';
import { readValues } from '../../src/waitlist/statistics/read-statistics.ts';
import { importFile } from '../../src/waitlist/transfer/import/import-start.ts';
import { undoImportJob } from '../../src/waitlist/transfer/import/undo-import.ts';
import { recountQueue } from '../../src/waitlist/upkeep/recount-queue.ts';
import { keepUp } from '../../src/waitlist/upkeep/upkeep.ts';
import { afterTest } from '../support/cleanup.ts';
import { type DocumentedClient, documentedClient } from '../support/documented-client.ts';
import { assertError, forEachEngine, type List, type Service, startService } from '../support/harness.ts';
import { startCommand } from '../support/process.ts';
import { command, jsonOf } from '../support/terminal.ts';

const directory = mkdtempSync(path.join(tmpdir(), 'doorlist-undo-'));
after(() => rmSync(directory, { recursive: true, force: true }));

/** What an import must leave as it was. */
const TABLES = [
  'rank_count',
  'queue_stat',
  'queue_histogram',
  'metadata_pair',
  'metadata_value',
  'metadata_count',
  'referral_alias',
  'operator_confirmation',
  'import_code',
  'import_link',
  'import_range',
] as const;

interface Job {
  id: string;
  state: string;
  done: number;
  total: number | null;
  subject: string | null;
  result: Record<string, number> | null;
}

interface Import {
  job: Job;
  undo: { isPossible: boolean; reason: string | null; jobId: string | null };
}

forEachEngine('bulk', (engine) => {
  let service: Service;
  let admin: DocumentedClient;
  before(async () => {
    service = await startService(engine);
    admin = await documentedClient(service, 'admin');
  });
  after(() => service.close());

  const importText = async (list: List, text: string, options = {}) => {
    const file = path.join(directory, `${engine}.csv`);
    writeFileSync(file, text);
    const { jobId } = await importFile(service.context, await list.queue(), file, options);
    return jobId ?? '';
  };
  const readImport = async (list: List, id: string) =>
    (await admin.call<Import>('getImport', 'GET', `/waitlists/${list.id}/imports/${id}`)).body;
  const undo = (list: List, id: string) =>
    admin.call<Job>('undoImport', 'POST', `/waitlists/${list.id}/imports/${id}/undo`);
  const sound = async (list: List) =>
    assert.deepEqual((await recountQueue(service.context, await list.queue(), false)).findings, []);

  /** Everything about a queue, without what stands at zero. */
  const stateOf = async ({ id }: Queue) => {
    const rows: unknown[] = [];
    for (const table of TABLES) {
      const found = await service.context.db.query
        .selectFrom(table)
        .selectAll()
        .where('queue_id', '=', id)
        .execute();
      rows.push(
        found
          .map((row) => JSON.stringify(row))
          .filter((row) => !/"(waiting|count|signups)":0[,}]/.test(row))
          .toSorted(),
      );
    }
    const { last_seq, undone, closed, ...queue } = await service.context.db.query
      .selectFrom('queue_state')
      .selectAll()
      .where('queue_id', '=', id)
      .executeTakeFirstOrThrow();
    assert.equal(closed, undone, 'nothing is left to close up');
    return { rows, queue, entries: last_seq - undone };
  };

  describe('an undone import', () => {
    it('leaves the waitlist as it was', async () => {
      const list = await service.waitlist({ boost: 2 });
      const queue = await list.queue();
      const { query } = service.context.db;
      await query
        .insertInto('metadata_key')
        .values([{ queue_id: queue.id, key: 'plan', counted_seq: 0 }])
        .execute();
      await list.signup({ email: 'ada@example.com', metadata: { plan: 'pro' } });
      await list.signup({ email: 'ben@example.com', referredBy: 'ada@example.com' });
      await keepUp(service.context);
      const before = await stateOf(queue);
      const people = await list.walk();

      const rows = Array.from({ length: 1_200 }, (_, at) =>
        [
          `p${at}@example.com`,
          `C${at}`,
          at % 3 === 0
            ? 'ada@example.com'
            : at % 3 === 1
              ? `C${Math.floor(at / 2)}`
              : `C${Math.min(at + 500, 1_199)}`,
          new Date(Date.UTC(2024, 0, 1) + at * 3_600_000).toISOString(),
          at % 2 === 0 ? 'pro' : `plan-${at}`,
        ].join(','),
      );
      const text = `email,referral_code,referred_by,created_at,plan\n${rows.join('\n')}\n`;
      const job = await importText(list, text, { confirmedBy: 'ada' });
      await keepUp(service.context);
      assert.equal((await list.lookup('ada@example.com')).body.referrals, 401);
      await sound(list);
      const found = await readImport(list, job);
      assert.deepEqual(
        [found.job.result?.created, found.undo],
        [1_200, { isPossible: true, reason: null, jobId: null }],
      );

      const { status, body } = await undo(list, job);
      assert.deepEqual([status, body.state, body.total, body.subject], [202, 'queued', 1_200, job]);
      assertError(await undo(list, job), 409, 'conflict', /^this import is being undone by job_/);
      assert.equal((await readImport(list, job)).undo.jobId, body.id);
      await service.runJobs();
      const done = (await admin.call<Job>('getJob', 'GET', `/jobs/${body.id}`)).body;
      assert.deepEqual([done.state, done.done, done.result], ['done', 1_200, { removed: 1_200, kept: 0 }]);

      await sound(list);
      await keepUp(service.context);
      assert.deepEqual(await list.walk(), people);
      assert.deepEqual(await stateOf(queue), before);
      const after = await readImport(list, job);
      assert.deepEqual(
        [after.job.result?.undone, after.undo.reason],
        [1_200, 'this import was undone already'],
      );
      assertError(await undo(list, job), 409, 'conflict', /undone already/);
      const { object, after: facts } = await admin.audited('import.undone');
      assert.deepEqual([object.id, facts], [job, { environment: 'production', job: body.id }]);

      // A code of somebody who is gone leads to nobody, and nobody gets it again.
      await list.signup({ email: 'cleo@example.com', referredBy: 'C0' });
      assert.equal((await list.lookup('cleo@example.com')).body.referredBy, null);
      const entries = await query
        .selectFrom('entry')
        .select('seq')
        .where('queue_id', '=', queue.id)
        .execute();
      assert.deepEqual(
        entries.map(({ seq }) => seq).toSorted((a, b) => a - b),
        [1, 2, 1_203],
      );
      await sound(list);
      const repaired = await recountQueue(service.context, queue, true);
      assert.deepEqual(repaired.findings, []);
      await importText(list, text);
      assert.equal((await list.lookup('ada@example.com')).body.referrals, 401);
      await sound(list);
    });

    it('leaves pages that start at the nth that joined, and counts that fit, also if somebody of it was erased', async () => {
      const list = await service.waitlist();
      const queue = await list.queue();
      await updateWaitlist(service.context, list.id, { metadataKeys: ['plan'] });
      await list.signup({ email: 'ada@example.com', metadata: { plan: 'pro' } });
      const job = await importText(
        list,
        'email,plan\na@example.com,pro\nb@example.com,team\nc@example.com,\n',
      );
      await list.signup(
        { email: 'ben@example.com' },
        { email: 'cleo@example.com', metadata: { plan: 'pro' } },
      );
      await keepUp(service.context);
      await eraseEntry(service.context, queue, 'b@example.com');
      await undo(list, job);
      await service.runJobs();
      await keepUp(service.context);
      await sound(list);
      const [plans] = await readValues(service.context, queue, { from: 0, to: service.clock.now });
      assert.deepEqual(
        [plans?.values.map(({ value, signups }) => [value, signups]), plans?.other],
        [[['pro', 2]], 0],
      );
      const people = ['ada@example.com', 'ben@example.com', 'cleo@example.com'];
      for (const at of [0, 1, 2, 3, 4]) {
        const { entries } = await listEntries(service.context, queue, { limit: 2, sort: 'joined', at });
        assert.deepEqual(
          entries.map(({ email }) => email),
          people.slice(at, at + 2),
        );
      }
    });

    it('is refused once somebody of it was invited or referred somebody else, or if there is none', async () => {
      const list = await service.waitlist();
      const text = 'email\na@example.com\nb@example.com\n';
      const invited = await importText(list, text);
      await list.invite('a@example.com');
      await list.signup({ email: 'zoe@example.com', referredBy: 'b@example.com' });
      const reason =
        '1 person of this import was invited since, and 1 person of it referred others who are not part of it: remove people one by one instead';
      assert.deepEqual((await readImport(list, invited)).undo, { isPossible: false, reason, jobId: null });
      const refused = await command(
        service.storage.environment,
        'import',
        'undo',
        invited,
        '--waitlist',
        list.id,
      );
      assert.deepEqual([refused.code, refused.json.code, refused.json.message], [1, 'conflict', reason]);
      assertError(await undo(list, invited), 409, 'conflict', /was invited since/);
      const nobody = await importText(list, text);
      assertError(await undo(list, nobody), 409, 'conflict', /added nobody/);
      assertError(await undo(list, 'job_none'), 404, 'not_found', /there is no such import/);
      assertError(await undo(await service.waitlist(), invited), 404, 'not_found');
      assert.equal((await list.page()).body.total, 3);
    });

    it('is possible for people who were invited before they were imported, and says goodbye where it said hello', async () => {
      const list = await service.waitlist();
      const queue = await list.queue();
      await list.invite('a@example.com');
      service.clock.advance(1_000);
      await service.context.db.query
        .updateTable('queue_state')
        .set({ listens: '*' })
        .where('queue_id', '=', queue.id)
        .execute();
      const job = await importText(list, 'email\na@example.com\nb@example.com\n', { events: true });
      const { removed } = await jsonOf(
        service.storage.environment,
        'import',
        'undo',
        job,
        '--waitlist',
        list.id,
      );
      assert.equal(removed, 2);
      const events = await service.context.db.query
        .selectFrom('event')
        .select(['kind', 'body'])
        .where('queue_id', '=', queue.id)
        .execute();
      const kinds = events.map(({ kind, body }) => `${kind} ${body === null ? 'erased' : 'kept'}`).toSorted();
      assert.deepEqual(kinds, [
        'email.invite kept',
        ...['entry.removed kept', 'entry.removed kept', 'signup.created erased', 'signup.created erased'],
      ]);
      await sound(list);
    });

    it('keeps those who were invited or referred others while it ran, and goes on after it was stopped', async () => {
      const list = await service.waitlist();
      const emails = Array.from({ length: 1_200 }, (_, at) => `p${at}@example.com`);
      // The first refers the last, and each other one the next.
      const rows = emails.map(
        (email, at) => `${email},${at === 0 ? emails.at(-1) : at % 50 === 0 ? '' : emails[at - 1]}`,
      );
      const job = await importText(list, `email,referred_by\n${rows.join('\n')}\n`);
      const { body } = await undo(list, job);
      let steps = 0;
      const run: typeof undoImportJob.run = async (context, queue, held: HeldJob) => {
        const stopping = () => ++steps === 2;
        await undoImportJob
          .run(context, queue, { ...held, lease: { ...held.lease, stopping } } as never)
          .finally(async () => {
            if (steps > 2) return;
            await list.invite('p100@example.com');
            await list.signup({ email: 'zoe@example.com', referredBy: 'p300@example.com' });
          });
      };
      await runDueJobs(service.context, [{ ...undoImportJob, run }]);
      const { result, state } = (await admin.call<Job>('getJob', 'GET', `/jobs/${body.id}`)).body;
      assert.deepEqual([state, result], ['done', { removed: 1_198, kept: 2 }]);
      const left = (await list.walk()).map(({ email, referredBy }) => [email, referredBy]);
      assert.deepEqual(left, [
        ['p100@example.com', null],
        ['p300@example.com', null],
        ['zoe@example.com', 'p300@example.com'],
      ]);
      await sound(list);
    });

    it('cannot be undone any more once it is forgotten', async () => {
      const list = await service.waitlist();
      await importText(list, 'email\na@example.com\n');
      service.clock.advance(31 * 86_400_000);
      await forgetOldJobs(service.context);
      await forgetOldJobs(service.context);
      const { id } = await list.queue();
      const ranges = await service.context.db.query
        .selectFrom('import_range')
        .selectAll()
        .where('queue_id', '=', id)
        .execute();
      assert.deepEqual(ranges, []);
    });

    it('is finished by the next command if one is killed', async () => {
      const list = await service.waitlist();
      const queue = await list.queue();
      const emails = Array.from({ length: 6_000 }, (_, at) => `k${at}@example.com`);
      const job = await importText(list, `email\n${emails.join('\n')}\n`);
      const left = async () =>
        Number(
          (
            await service.context.db.query
              .selectFrom('entry')
              .select((e) => e.fn.countAll().as('count'))
              .where('queue_id', '=', queue.id)
              .executeTakeFirstOrThrow()
          ).count,
        );
      const { child, finished } = startCommand(
        service.storage.environment,
        ...['import', 'undo', job, '--waitlist', list.id],
      );
      afterTest(() => child.kill('SIGKILL'));
      while (child.exitCode === null && (await left()) === emails.length) await pause(1);
      child.kill('SIGKILL');
      await finished;
      assert.ok((await left()) < emails.length);
      await sound(list);
      const { removed } = await jsonOf(
        service.storage.environment,
        'import',
        'undo',
        job,
        '--waitlist',
        list.id,
      ).catch(() => ({ removed: emails.length }));
      assert.equal(removed, emails.length);
      assert.equal(await left(), 0);
      await sound(list);
    });
  });
});
