import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eraseEntry } from '../../src/waitlist/entries/erase-entry.ts';
import { forgetOldJobs } from '../../src/waitlist/jobs/forget-jobs.ts';
import { runDueJobs } from '../../src/waitlist/jobs/job-runner.ts';
import type { HeldJob, JobKind } from '../../src/waitlist/jobs/jobs.ts';
import { NOTHING_FOUND } from '../../src/waitlist/transfer/import/import-progress.ts';
import { CHUNK } from '../../src/waitlist/transfer/import/import-run.ts';
import { importJob } from '../../src/waitlist/transfer/import/import-upload.ts';
import { type DocumentedClient, documentedClient } from '../support/documented-client.ts';
import { assertError, forEachEngine, type List, type Service, startService } from '../support/harness.ts';

interface Job {
  id: string;
  kind: string;
  state: string;
  done: number;
  total: number | null;
  error: string | null;
  result: Record<string, unknown> | null;
}

interface Preview {
  service: string | null;
  times: { format: string | null; timeZoneName: string } | null;
  warnings: string[];
  columns: {
    name: string;
    field: string;
    isGuess: boolean;
    isUnknown: boolean;
    examples: { text: string; time: string | null }[];
  }[];
}

interface Import extends Preview {
  job: Job;
  undo: { isPossible: boolean; reason: string | null };
}

const CSV =
  'email,joinedAt,plan\nann@example.com,2024-01-02T00:00:00Z,pro\nben@example.com,2024-01-01T00:00:00Z,free\n';

forEachEngine((engine) => {
  describe('imports over the admin API', () => {
    let service: Service;
    let admin: DocumentedClient;
    let list: List;
    before(async () => {
      service = await startService(engine);
      admin = await documentedClient(service, 'admin');
      list = await service.waitlist();
    });
    after(() => service.close());

    const upload = (
      rawBody: string | Uint8Array,
      { query = '', type = 'text/csv', to = list }: { query?: string; type?: string; to?: List } = {},
    ) =>
      admin.call<Job>('createImport', 'POST', `/waitlists/${to.id}/imports${query}`, {
        rawBody,
        headers: { 'content-type': type },
      });
    const jobOf = async (id: string) => (await admin.call<Job>('getJob', 'GET', `/jobs/${id}`)).body;
    const finished = async (...given: Parameters<typeof upload>) => {
      const { status, body, text } = await upload(...given);
      assert.equal(status, 202, text);
      await service.runJobs();
      return jobOf(body.id);
    };
    const errorsOf = async (id: string, where = list) =>
      admin.call('downloadImportErrors', 'GET', `/waitlists/${where.id}/imports/${id}/errors`);
    const chunks = async () => {
      const rows = await service.context.db.query
        .selectFrom('import_chunk')
        .select(['part', 'sealed'])
        .execute();
      return rows.filter(({ part }) => part === 'file');
    };

    it('imports a CSV file in join order, and leaves nothing of it behind', async () => {
      const to = await service.waitlist();
      const { body } = await upload(CSV, { to });
      assert.deepEqual([body.kind, body.state, body.total], ['import', 'queued', 2]);
      const stored = await chunks();
      assert.equal(stored.length, 1);
      for (const { sealed } of stored) assert.ok(!Buffer.from(sealed).includes('example.com'), 'sealed');
      await service.runJobs();
      const { state, done, result } = await jobOf(body.id);
      assert.deepEqual([state, done], ['done', 2]);
      const counted = { rows: 2, created: 2, skipped: 0, failed: 0, codesTaken: 0 };
      assert.deepEqual(result, { ...counted, found: { ...NOTHING_FOUND, times: 2 } });
      const people = await to.walk();
      assert.deepEqual(
        people.map(({ email, metadata }) => [email, metadata]),
        [
          ['ben@example.com', { plan: 'free' }],
          ['ann@example.com', { plan: 'pro' }],
        ],
      );
      assert.deepEqual(await chunks(), []);
      const { object, after: facts } = await admin.audited('entries.imported');
      assert.deepEqual([object.id, facts], [to.id, { environment: 'production', job: body.id }]);
      const all = await admin.call<{ jobs: Job[] }>('listImports', 'GET', `/waitlists/${to.id}/imports`);
      assert.deepEqual(
        all.body.jobs.map(({ id }) => id),
        [body.id],
      );
    });

    it('imports JSON arrays and JSON Lines, also in pieces of one byte', async () => {
      const rows = [
        { email: 'j1@example.com', metadata: { note: 'a "quoted", [bracketed]\nline' } },
        { email: 'j2@example.com' },
      ];
      const array = await finished(`\uFEFF ${JSON.stringify(rows, null, 2)}\n`, { type: 'application/json' });
      assert.equal(array.result?.created, 2, JSON.stringify(array));
      assert.deepEqual((await list.lookup('j1@example.com')).body.metadata, rows[0]?.metadata);
      const lines = '{"email":"j3@example.com"}\n{"email":"j2@example.com"}';
      const { result } = await finished(lines, { type: 'application/x-ndjson' });
      assert.deepEqual([result?.created, result?.skipped], [1, 1]);
    });

    it('lists bad rows by line, field and reason, without their data', async () => {
      const job = await finished('email\nfine@example.com\nnot-an-email\n', {
        query: '?format=csv',
        type: 'text/plain',
      });
      assert.deepEqual([job.result?.created, job.result?.failed], [1, 1]);
      const errors = await errorsOf(job.id);
      assert.match(errors.headers.get('content-type') ?? '', /^text\/csv/);
      assert.match(errors.text, /^line,field,reason\r\n3,email,[^\n]+\r\n$/);
      assert.ok(!errors.text.includes('not-an-email'));
      assertError(await errorsOf('none'), 404, 'not_found');
      assertError(await errorsOf(job.id, await service.waitlist()), 404, 'not_found');
    });

    it('shows what columns are taken for, and stores nothing', async () => {
      const preview = (rawBody: string, query = '', type = 'text/csv') =>
        admin.call<Preview>('previewImport', 'POST', `/waitlists/${list.id}/imports/preview${query}`, {
          rawBody,
          headers: { 'content-type': type },
        });
      const text =
        'Email,Signed up (PST),Referred By Code,constructor\n' +
        'a@example.com,1/2/2024 1:00 PM,,x\nb@example.com,1/31/2024 1:00 PM,R1,y\nc@example.com,2/1/2024';
      const { body } = await preview(text, '?partial=true');
      assert.deepEqual(
        body.columns.map(({ field, isGuess, examples }) => [
          field,
          isGuess,
          examples.map((each) => each.text),
        ]),
        [
          ['email', false, ['a@example.com', 'b@example.com']],
          ['joinedAt', true, ['1/2/2024 1:00 PM', '1/31/2024 1:00 PM']],
          ['referredBy', true, ['R1']],
          ['metadata.constructor', false, ['x', 'y']],
        ],
      );
      assert.equal(body.columns[1]?.examples[0]?.time, '2024-01-02T21:00:00.000Z');
      assert.deepEqual(
        [body.service, body.times?.format, body.times?.timeZoneName],
        [null, 'mdy', 'PST (UTC-8)'],
      );
      const mapped = await preview(text, '?timeZone=Europe/Berlin&timeFormat=dmy&map=constructor%3D-');
      assert.equal(mapped.body.columns[1]?.examples[0]?.time, '2024-02-01T12:00:00.000Z');
      assert.equal(mapped.body.columns[3]?.field, '-');
      const none = await preview('name\nAda\n');
      assert.match(none.body.warnings[0] ?? '', /^No column has emails or phones/);
      const array = '[{"email":"a@example.com","joined_with":"api","referral_code":"x"},{"email":"b@exa';
      const json = await preview(array, '?partial=true', 'application/json');
      assert.deepEqual([json.body.service, json.body.columns.length], ['Waitlister', 3]);
      assertError(await preview(array, '', 'application/json'), 400, 'invalid_request', /JSON array/);
      assertError(await preview(text, '?timeZone=Mars'), 400, 'invalid_request', /^timeZone: must be/);
      const large = await preview('x'.repeat(1_100_000));
      assertError(large, 413, 'payload_too_large', 'the file is larger than 1 MB');
      assert.deepEqual(await chunks(), []);
    });

    it('counts rows and not lines, and says what it found', async () => {
      const to = await service.waitlist();
      const text = 'email,Notes\na@example.com,"one\ntwo\nthree"\n\nb@example.com,four\n';
      const { body } = await upload(text, { to, query: '?dryRun=true' });
      assert.equal(body.total, 2);
      await service.runJobs();
      const { job, columns, times, warnings, undo } = (
        await admin.call<Import>('getImport', 'GET', `/waitlists/${to.id}/imports/${body.id}`)
      ).body;
      assert.deepEqual([job.total, job.result?.found], [2, NOTHING_FOUND]);
      assert.deepEqual(
        columns.map(({ name, field, isUnknown }) => [name, field, isUnknown]),
        [
          ['email', 'email', false],
          ['Notes', 'metadata.Notes', true],
        ],
      );
      assert.deepEqual([times, warnings.length], [null, 3]);
      assert.match(warnings[2] ?? '', /kept as metadata: "Notes"/);
      assert.deepEqual(undo.reason, 'this was only a check: nothing was imported');
    });

    it('keeps bad rows with their content, sealed, for a day or until somebody is erased', async () => {
      const to = await service.waitlist();
      const text =
        'email,Phone,Note\nfine@example.com,,\nbad@,0123,"Ada, 36"\nx@example.com,12,\n"never closed,,\n';
      const { id } = await finished(text, { to });
      const rowsOf = (of = id) =>
        admin.call('downloadImportBadRows', 'GET', `/waitlists/${to.id}/imports/${of}/bad-rows`);
      const { text: rows, headers } = await rowsOf();
      assert.match(headers.get('content-type') ?? '', /^text\/csv/);
      const [head, first, second, third, end] = rows.split('\r\n');
      assert.equal(head, 'Doorlist line,Doorlist reason,email,Phone,Note');
      assert.match(first ?? '', /^3,"?email: .+; phone: .+,bad@,0123,"Ada, 36"$/);
      assert.match(second ?? '', /^4,"?phone: .+,x@example\.com,12,$/);
      assert.match(third ?? '', /^5,.*quoted.*,"""never closed,,"$/);
      assert.equal(end, '');
      assert.equal((await admin.audited('import.rows_read')).object.id, id);
      const storedRows = () =>
        service.context.db.query
          .selectFrom('import_chunk')
          .select('sealed')
          .where('part', '=', 'rows')
          .execute();
      for (const { sealed } of await storedRows())
        assert.ok(!Buffer.from(sealed).includes('Ada, 36'), 'sealed');
      await eraseEntry(service.context, await to.queue(), 'fine@example.com');
      assert.equal((await rowsOf()).text, `${head}\r\n`);
      const again = await finished(text, { to });
      service.clock.advance(24 * 3_600_000 + 1);
      assertError(await rowsOf(again.id), 410, 'expired', /^bad rows are kept for 24 hours/);
      await forgetOldJobs(service.context);
      assert.deepEqual(await storedRows(), []);
    });

    it('checks a file without importing it', async () => {
      const to = await service.waitlist();
      const job = await finished(`${CSV}bad\n`, { to, query: '?dryRun=true' });
      assert.deepEqual([job.state, job.done], ['done', 3]);
      assert.deepEqual(
        [job.result?.created, job.result?.failed, job.result?.dryRun],
        [2, 1, true],
        JSON.stringify(job),
      );
      assert.equal((await to.page()).body.total, 0);
      assert.match((await errorsOf(job.id, to)).text, /\r\n4,/);
      assert.deepEqual(await chunks(), []);
    });

    it('takes the columns of another service, or of a map', async () => {
      const mapped = await finished('Mail,Level\nmap@example.com,3\n', {
        query: '?map=Mail=email,Level=metadata.level',
      });
      assert.equal(mapped.result?.created, 1, JSON.stringify(mapped));
      assert.deepEqual((await list.lookup('map@example.com')).body.metadata, { level: '3' });
      const unknown = await upload(CSV, { query: '?preset=nobody' });
      assertError(unknown, 400, 'invalid_request', /^preset: unknown preset nobody: must be one of/);
    });

    it('refuses what cannot be imported at once, and keeps nothing', async () => {
      assertError(await upload('name\nAda\n'), 400, 'invalid_request', /^map: no email or phone column/);
      assertError(await upload(''), 400, 'invalid_request', /^body: is/);
      assertError(
        await upload('{"email":"a@b.co"}', { type: 'application/json' }),
        400,
        'invalid_request',
        /^body: must be a JSON array/,
      );
      assertError(
        await upload('[{"email":"a@b.co"}', { type: 'application/json' }),
        400,
        'invalid_request',
        /^body: must be a JSON array/,
      );
      assertError(await upload(CSV, { type: 'application/zip' }), 415, 'unsupported_media_type');
      assertError(
        await upload(CSV, { query: '?dryRun=yes' }),
        400,
        'invalid_request',
        /^dryRun: must be one of/,
      );
      assertError(await upload(CSV, { query: '?nope=1' }), 400, 'invalid_request', /^nope: unknown field/);
      const nowhere = { ...list, id: 'wl_none' };
      assertError(await upload(CSV, { to: nowhere }), 404, 'not_found');
      assert.deepEqual(await chunks(), []);
    });

    it('imports a file of many chunks in any order, and goes on after it was stopped', async () => {
      const to = await service.waitlist();
      const rows = 6_000;
      const line = (n: number) =>
        `p${n}@example.com,${new Date(Date.UTC(2024, 0, 1) + n * 60_000).toISOString()},"${'x'.repeat(150)}\n"\n`;
      const shuffled = Array.from({ length: rows }, (_, n) => line((n * 7_919) % rows));
      const { body } = await upload(`email,joinedAt,note\n${shuffled.join('')}`, { to });
      assert.ok((await chunks()).length > 4);
      // A server that shuts down before its third step, and one that goes on.
      let steps = 0;
      let runs = 0;
      const run: typeof importJob.run = (context, queue, job: HeldJob) => {
        runs += 1;
        const stopping = () => ++steps === 3;
        return importJob.run(context, queue, { ...job, lease: { ...job.lease, stopping } } as never);
      };
      await runDueJobs(service.context, [{ ...importJob, run }]);
      assert.equal(runs, 2);
      const job = await jobOf(body.id);
      assert.deepEqual([job.state, job.result?.created, job.error], ['done', rows, null]);
      const people = await to.walk({ limit: 200 });
      assert.deepEqual(
        people.map(({ email }) => email),
        Array.from({ length: rows }, (_, n) => `p${n}@example.com`),
      );
      assert.deepEqual(await chunks(), []);
    });

    it('says what it created when it is cancelled on the way', async () => {
      const to = await service.waitlist();
      const rows = Array.from({ length: 2 * CHUNK }, (_, at) => `p${at}@example.com`);
      const { body } = await upload(['email', 'nobody', ...rows].join('\n'), { to });
      const kind: JobKind = {
        ...importJob,
        run: async (context, queue, job) => {
          const transaction: typeof context.db.transaction = async (work, options) => {
            const result = await context.db.transaction(work, options);
            if ((await jobOf(body.id)).done === CHUNK)
              await admin.call('cancelJob', 'DELETE', `/jobs/${body.id}`);
            return result;
          };
          await importJob.run({ ...context, db: { ...context.db, transaction } }, queue, job);
        },
      };
      await runDueJobs(service.context, [kind]);
      const { state, done, result } = await jobOf(body.id);
      const counts = { rows: CHUNK, created: CHUNK - 1, skipped: 0, failed: 1, codesTaken: 0 };
      const counted = { ...counts, found: NOTHING_FOUND };
      assert.deepEqual([state, done, result], ['cancelled', CHUNK, counted]);
      assert.equal((await to.page()).body.total, CHUNK - 1);
      assert.match((await errorsOf(body.id, to)).text, /^line,field,reason\r?\n2,email,/);
    });

    it('can be cancelled, which erases the file', async () => {
      const { body } = await upload(CSV);
      await admin.call('cancelJob', 'DELETE', `/jobs/${body.id}`);
      await service.runJobs();
      assert.equal((await jobOf(body.id)).state, 'cancelled');
      assert.deepEqual(await chunks(), []);
    });
  });
});
