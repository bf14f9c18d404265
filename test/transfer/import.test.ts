import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Entry } from '../../src/waitlist/entries/entry.ts';
import { readAllEntries } from '../../src/waitlist/transfer/export/read-all-entries.ts';
import { NOTHING_FOUND } from '../../src/waitlist/transfer/import/import-progress.ts';
import type { ImportResult } from '../../src/waitlist/transfer/import/import-run.ts';
import {
  type ImportOptions,
  importFile,
  resumeImport,
} from '../../src/waitlist/transfer/import/import-start.ts';
import { recountQueue } from '../../src/waitlist/upkeep/recount-queue.ts';
import type { PresentedEntry } from '../../src/wire/entry.ts';
import { forEachEngine, type List, type Service, startService } from '../support/harness.ts';

const directory = mkdtempSync(path.join(tmpdir(), 'doorlist-import-'));
after(() => rmSync(directory, { recursive: true, force: true }));

function fileOf(name: string, text: string | Buffer): string {
  const file = path.join(directory, name);
  writeFileSync(file, text);
  return file;
}

forEachEngine('bulk', (engine) => {
  let service: Service;
  before(async () => {
    service = await startService(engine);
  });
  after(() => service.close());

  /** Imports a text into a waitlist; the queue must be sound afterwards, and nothing of the import left behind. */
  async function importText(
    list: List,
    text: string | Buffer,
    options: ImportOptions = {},
    name = 'people.csv',
  ): Promise<
    Omit<ImportResult, 'report'> & { problems: { line: number; field: string | null; reason: string }[] }
  > {
    const { context } = service;
    const { report, ...result } = await importFile(context, await list.queue(), fileOf(name, text), options);
    assert.ok(report.columns.length > 0);
    assert.equal(result.rows, result.created + result.skipped + result.failed);
    assert.deepEqual((await recountQueue(context, await list.queue(), false)).findings, []);
    for (const table of ['import_code', 'import_link'] as const) {
      assert.deepEqual(await context.db.query.selectFrom(table).selectAll().execute(), []);
    }
    const told = result.errorsFile === null ? '' : readFileSync(result.errorsFile, 'utf8');
    return {
      ...result,
      problems: told
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
    };
  }

  const emails = (entries: PresentedEntry[]) => entries.map(({ email }) => email);
  const credits = (entries: PresentedEntry[]) =>
    Object.fromEntries(
      entries.map(({ email, referrals, referredBy }) => [email?.[0], [referrals, referredBy]]),
    );

  describe('import of CSV', () => {
    it('adds people in the order and with the time they joined, whatever the order of the file', async () => {
      const list = await service.waitlist();
      const result = await importText(
        list,
        'Email,Joined At,Plan,Seats\nc@example.com,2025-03-01T00:00:00Z,pro,3\n' +
          'a@example.com,2025-01-01 10:00:00,,\nlast@example.com,,free,\nb@example.com,1738368000,free,1\n',
      );
      const { jobId, ...counts } = result;
      assert.match(jobId ?? '', /^job_/);
      assert.deepEqual(counts, {
        rows: 4,
        created: 4,
        skipped: 0,
        failed: 0,
        codesTaken: 0,
        found: { ...NOTHING_FOUND, times: 3 },
        errorsFile: null,
        badRowsFile: null,
        problems: [],
      });
      const entries = await list.walk();
      assert.deepEqual(emails(entries), [
        'a@example.com',
        'b@example.com',
        'c@example.com',
        'last@example.com',
      ]);
      assert.deepEqual(
        entries.map(({ createdAt, position }) => [createdAt, position]),
        [
          ['2025-01-01T10:00:00.000Z', 1],
          ['2025-02-01T00:00:00.000Z', 2],
          ['2025-03-01T00:00:00.000Z', 3],
          [new Date(service.clock.now).toISOString(), 4],
        ],
      );
      assert.deepEqual(
        entries.map(({ metadata }) => metadata),
        [null, { Plan: 'free', Seats: '1' }, { Plan: 'pro', Seats: '3' }, { Plan: 'free' }],
      );
    });

    it('reads BOM, CRLF, quotes, newlines in cells, empty lines, and ; or tabs between the columns', async () => {
      for (const [delimiter, ending] of [
        [',', '\r\n'],
        [';', '\n'],
        ['\t', '\r\n'],
      ] as const) {
        const list = await service.waitlist();
        const rows = [
          ['"email"', 'note', '"a ""title"""'],
          [],
          ['a@example.com', `"one${ending}two${delimiter}three"`, ''],
          ['"b@example.com"', 'say "hi"', 'x'],
          ['c@example.com'],
          ['wrong', '', ''],
        ];
        const text = `\uFEFF${rows.map((row) => row.join(delimiter)).join(ending)}`;
        const { created, problems } = await importText(list, text);
        assert.equal(created, 3);
        assert.deepEqual(problems, [{ line: 7, field: 'email', reason: 'not an email address' }]);
        assert.deepEqual(
          (await list.walk()).map(({ metadata }) => metadata),
          [{ note: `one${ending}two${delimiter}three` }, { note: 'say "hi"', 'a "title"': 'x' }, null],
        );
      }
    });

    it('reports bad rows by line, field and reason without their values, and imports the good ones', async () => {
      const list = await service.waitlist();
      const { problems, errorsFile, ...counts } = await importText(
        list,
        Buffer.concat([
          Buffer.from(
            'email,phone,joined_at,referred_by\nsecret-1,,,\nb@example.com,0170 secret-2,,\n,,,x\n' +
              'c@example.com,,31/12/2024 secret-3,\nd@example.com,,2099-01-01,\ne@example.com,,,,,secret-4\n' +
              'f@example.com,"secret-5\n',
          ),
          Buffer.from([0x67, 0x40, 0xff, 0x2e, 0x63, 0x6f, 0x0a]),
          Buffer.from('ok@example.com,,,\n'),
        ]),
        { errorsFile: path.join(directory, 'told.jsonl') },
      );
      assert.deepEqual(
        problems.sort((a, b) => a.line - b.line).map(({ line, field }) => [line, field]),
        [
          [2, 'email'],
          [3, 'phone'],
          [4, null],
          [5, 'joinedAt'],
          [6, 'joinedAt'],
          [7, null],
          [8, null],
          [9, null],
        ],
      );
      assert.ok(problems.every(({ reason }) => reason.length > 5));
      assert.doesNotMatch(readFileSync(errorsFile ?? '', 'utf8'), /secret|@/);
      assert.equal(counts.created, 1);
      assert.equal(counts.failed, 8);
      assert.deepEqual(emails(await list.walk()), ['ok@example.com']);
    });

    it('skips and counts people who are already on the waitlist or appear in the file twice', async () => {
      const list = await service.waitlist();
      await list.signup({ email: 'a@example.com', phone: '+14155550100', metadata: { kept: true } });
      const { created, skipped } = await importText(
        list,
        'email,phone\nA@Example.com,\nb@example.com,+1 415 555 0100\nc@example.com,+14155550101\n' +
          'd@example.com,+1 (415) 555-0101\nC@EXAMPLE.COM,\n',
      );
      assert.deepEqual([created, skipped], [1, 4]);
      assert.deepEqual(emails(await list.walk()), ['a@example.com', 'c@example.com']);
      assert.deepEqual((await list.lookup('a@example.com')).body.metadata, { kept: true });
      assert.equal((await importText(list, 'email\nc@example.com\na@example.com\n')).skipped, 2);
      await list.signup({ email: 'next@example.com' });
      assert.equal((await list.lookup('next@example.com')).body.position, 3);
    });

    it('uses columns as mapped, and drops the others if asked to', async () => {
      const list = await service.waitlist();
      const text =
        'Mail,email,Rank,Company,Secret\nb@example.com,old,2,Acme,s\na@example.com,older,1,Beta,s\n';
      const map = 'Mail=email,Rank=position,Company=metadata.company,Secret=-';
      await importText(list, text, { map });
      assert.deepEqual(
        (await list.walk()).map(({ email, metadata }) => [email, metadata]),
        [
          ['a@example.com', { email: 'older', company: 'Beta' }],
          ['b@example.com', { email: 'old', company: 'Acme' }],
        ],
      );
      const lean = await service.waitlist();
      await importText(lean, text, { map: 'Mail=email', dropUnmapped: true, order: 'file' });
      assert.deepEqual(
        (await lean.walk()).map(({ email, metadata }) => [email, metadata]),
        [
          ['b@example.com', null],
          ['a@example.com', null],
        ],
      );
    });

    it('rejects impossible options and writes nothing', async () => {
      const list = await service.waitlist();
      const refused = (text: string | Buffer, options: ImportOptions, why: RegExp) =>
        assert.rejects(importText(list, text, options), why);
      await refused('name,plan\nx,y\n', {}, /no email or phone column; the columns are "name", "plan"/);
      await refused('email\na@example.com\n', { map: 'Mail=email' }, /there is no column "Mail"/);
      await refused('email\na@example.com\n', { map: 'email=address' }, /must be COLUMN=FIELD/);
      await refused('email\na@example.com\n', { preset: 'nobody' }, /unknown preset nobody/);
      await refused('email\na@example.com\n', { order: 'position' }, /no position column/);
      await refused('email\na@example.com\n', { timeZone: 'Mars/Olympus' }, /timeZone: must be a time zone/);
      await refused('', {}, /is empty/);
      await refused(Buffer.from('\uFEFFemail\na@example.com\n', 'utf16le'), {}, /UTF-16/);
      for (const magic of ['504b03041400', 'd0cf11e0a1b1'])
        await refused(Buffer.from(magic, 'hex'), {}, /is an Excel or ZIP file, not CSV: open it, save it as/);
      const same = path.join(directory, 'people.csv');
      await refused('email\na@example.com\n', { errorsFile: same }, /must not be the imported file/);
      await assert.rejects(
        importFile(service.context, await list.queue(), path.join(directory, 'none.csv'), {}),
        /there is no file/,
      );
      await assert.rejects(
        importFile(service.context, await list.queue(), directory, {}),
        /must be a regular file/,
      );
      assert.deepEqual(await list.walk(), []);
    });

    it('can be a dry run', async () => {
      const list = await service.waitlist();
      await list.signup({ email: 'a@example.com' });
      const { jobId, problems, errorsFile, badRowsFile, found, ...counts } = await importText(
        list,
        'email\na@example.com\nb@example.com\nB@example.com\nbad\n',
        { dryRun: true },
      );
      assert.deepEqual([jobId, badRowsFile, found], [null, null, NOTHING_FOUND]);
      assert.deepEqual(counts, { rows: 4, created: 1, skipped: 2, failed: 1, codesTaken: 0 });
      assert.equal(problems.length, 1);
      assert.deepEqual(emails(await list.walk()), ['a@example.com']);
    });
  });

  it('an inexact number in the JSON of a CSV cell is rejected, while other cells are text', async () => {
    const list = await service.waitlist();
    const { created, problems } = await importText(
      list,
      'email,score,metadata\na@example.com,9007199254740993,\nb@example.com,,"{""n"":9007199254740993}"\n',
    );
    assert.equal(created, 1);
    assert.deepEqual(
      problems.map(({ line, field }) => [line, field]),
      [[3, 'metadata.n']],
    );
    assert.deepEqual((await list.lookup('a@example.com')).body.metadata, { score: '9007199254740993' });
  });

  describe('import of JSON Lines', () => {
    it('keeps values as they are, and reports lines that are not objects', async () => {
      const list = await service.waitlist();
      const { created, problems } = await importText(
        list,
        '{"email":"b@example.com","joinedAt":"2025-02-01","answers":[1,{"x":null}],"score":2.5,"none":null}\n\n' +
          '{"email":"a@example.com","created_at":1735689600123,"metadata":{"deep":{"n":1}}}\n' +
          'nonsense\n[1]\n{"email":7}\n{"email":"x@example.com","note":"\\u0000"}\n{"email":"y@example.com","__proto__":{}}\n' +
          `{"email":"z@example.com","big":"${'x'.repeat(300_000)}"}\n{"phone":"+14155550123"}`,
        {},
        'people.jsonl',
      );
      assert.equal(created, 3);
      assert.deepEqual(
        problems.map(({ line }) => line),
        [4, 5, 6, 7, 8, 9],
      );
      const [first, second, third] = await list.walk();
      assert.deepEqual([first?.email, first?.createdAt], ['a@example.com', '2025-01-01T00:00:00.123Z']);
      assert.deepEqual(first?.metadata, { deep: { n: 1 } });
      assert.deepEqual(second?.metadata, { answers: [1, { x: null }], score: 2.5 });
      assert.equal(third?.phone, '+14155550123');
    });

    it('rejects numbers that would not round-trip, by line and field', async () => {
      const list = await service.waitlist();
      const { created, problems } = await importText(
        list,
        '{"email":"a@example.com","score":9007199254740993,"metadata":{"list":[1,1e400]}}\n' +
          '{"email":"b@example.com","score":1.50,"metadata":{"list":[1e2]}}\n' +
          '{"email":"c@example.com","dropped":12345678901234567890}\n',
        { map: 'dropped=-' },
        'people.jsonl',
      );
      const reason = 'is a number that cannot be kept exactly; send it as a string';
      assert.deepEqual(problems, [
        { line: 1, field: 'score', reason },
        { line: 1, field: 'metadata.list[1]', reason },
      ]);
      assert.equal(created, 2);
      assert.deepEqual((await list.lookup('b@example.com')).body.metadata, { score: 1.5, list: [100] });
    });
  });

  describe('referrals of an import', () => {
    it('are linked by email, phone and the codes of the old system, whichever row comes first', async () => {
      const list = await service.waitlist({ boost: 1 });
      await importText(
        list,
        'email,phone,referral_code,referred_by\n' +
          'a@example.com,+14155550001,HAPPY-1,e@example.com\nb@example.com,,HAPPY-2,HAPPY-1\n' +
          'c@example.com,,HAPPY-3,A@EXAMPLE.COM\nd@example.com,,,HAPPY-5\ne@example.com,,HAPPY-5,+1 415 555 0001x\n' +
          'f@example.com,,,+1 415 555 0001\ng@example.com,,,nobody@example.com\nh@example.com,,,UNKNOWN\n',
      );
      assert.deepEqual(credits(await list.walk()), {
        a: [3, 'e@example.com'],
        b: [0, 'a@example.com'],
        c: [0, 'a@example.com'],
        d: [0, 'e@example.com'],
        e: [2, null],
        f: [0, 'a@example.com'],
        g: [0, null],
        h: [0, null],
      });
    });

    it('credit people who were already on the list, by email or referral code', async () => {
      const list = await service.waitlist();
      await list.signup({ email: 'a@example.com' });
      const { referralCode } = (await list.lookup('a@example.com')).body;
      await importText(
        list,
        `email,code,referrer\nb@example.com,,a@example.com\nc@example.com,,${referralCode}\n` +
          'A@example.com,OLD-A,\nd@example.com,,OLD-A\n',
        { map: 'code=referralCode,referrer=referredBy' },
      );
      assert.deepEqual((await list.lookup('a@example.com')).body.referrals, 3);
    });

    it('credit nobody for themselves or in a circle of any size', async () => {
      const list = await service.waitlist();
      await importText(
        list,
        'email,referral_code,referred_by\na@example.com,A,a@example.com\nb@example.com,B,B\n' +
          'c@example.com,C,d@example.com\nd@example.com,D,C\n' +
          'e@example.com,E,G\nf@example.com,F,E\ng@example.com,G,F\nh@example.com,H,F\n',
      );
      const entries = await list.walk();
      assert.deepEqual(credits(entries), {
        a: [0, null],
        b: [0, null],
        c: [0, null],
        d: [0, null],
        e: [0, null],
        f: [1, null],
        g: [0, null],
        h: [0, 'f@example.com'],
      });
    });

    it('stop at the cap of the waitlist', async () => {
      const list = await service.waitlist();
      await service.context.db.query
        .updateTable('waitlist')
        .set({ referral_cap: 2 })
        .where('public_id', '=', list.id)
        .execute();
      const early =
        'x1@example.com,z@example.com\nx2@example.com,z@example.com\nx3@example.com,z@example.com\n';
      await importText(list, `email,referred_by\n${early}z@example.com,\ny1@example.com,z@example.com\n`);
      assert.equal((await list.lookup('z@example.com')).body.referrals, 2);
    });
  });

  describe('presets', () => {
    const cases = {
      getwaitlist: [
        '{"email":"b@example.com","created_at":"2023-05-02T10:00:00.000000+00:00","referral_token":"T2","referred_by_signup_token":"T1","amount_referred":0,"priority":1,"uuid":"u2"}',
        '{"email":"a@example.com","created_at":"2023-05-01T10:00:00.000000+00:00","referral_token":"T1","referred_by_signup_token":null,"amount_referred":1,"priority":0,"uuid":"u1"}',
      ],
      waitlister: [
        '{"email":"b@example.com","phone":"+14155550123","position":1,"points":80,"referral_code":"cool-moon-9e2a","referred_by":"happy-star-4f3d","referral_count":0,"joined_at":1682345678901}',
        '{"email":"a@example.com","position":2,"points":50,"referral_code":"happy-star-4f3d","referral_count":1,"joined_at":1682345000000}',
      ],
      prefinery: [
        'email,status,Applied At,Referred By,telephone',
        'b@example.com,applied,2020-06-25T21:32:23Z,a@example.com,+14155550123',
        'a@example.com,applied,2020-06-25T20:48:13Z,,',
      ],
    };
    for (const [preset, lines] of Object.entries(cases)) {
      it(`read an export of ${preset}`, async () => {
        const list = await service.waitlist();
        const name = preset === 'prefinery' ? 'theirs.csv' : 'theirs.jsonl';
        await importText(list, lines.join('\n'), { preset }, name);
        const entries = await list.walk();
        assert.deepEqual(emails(entries), ['a@example.com', 'b@example.com']);
        assert.deepEqual(
          entries.map(({ referrals }) => referrals),
          [1, 0],
        );
        assert.match(entries[0]?.createdAt ?? '', /^202[03]-/);
        const kept = {
          getwaitlist: { uuid: 'u1' },
          waitlister: { points: 50 },
          prefinery: { status: 'applied' },
        };
        assert.deepEqual(entries[0]?.metadata, kept[preset as keyof typeof kept]);
      });
    }
  });

  describe('the columns that the docs list', () => {
    it('are recognized by their names, and the times of a Prefinery file are kept without its preset', async () => {
      const list = await service.waitlist();
      const text = [
        'email,Phone,Applied At,Language,Referral Code,metadata.company,Metadata',
        'ada@example.com,+14155550123,2020-06-25T20:48:13Z,de,OLD1,Acme,"{""plan"":""pro""}"',
      ].join('\n');
      await importText(list, text);
      const { email, phone, createdAt, metadata } = (await list.lookup('ada@example.com')).body;
      assert.deepEqual(
        [email, phone, createdAt, metadata],
        ['ada@example.com', '+14155550123', '2020-06-25T20:48:13.000Z', { plan: 'pro', company: 'Acme' }],
      );
      const { value } = await readAllEntries(service.context, await list.queue(), undefined).next();
      const entries: Entry[] = value?.entries ?? [];
      assert.deepEqual(
        entries.map(({ language }) => language),
        ['de'],
      );
    });

    it('are recognized beside a preset that has other names for them', async () => {
      const list = await service.waitlist();
      const text = 'email,created at\na@example.com,2020-06-25T20:48:13Z\n';
      await importText(list, text, { preset: 'prefinery' });
      const { createdAt, metadata } = (await list.lookup('a@example.com')).body;
      assert.deepEqual([createdAt, metadata], ['2020-06-25T20:48:13.000Z', null]);
    });
  });

  describe('events of an import', () => {
    it('are recorded only if asked for', async () => {
      const list = await service.waitlist();
      const queue = await list.queue();
      await service.context.db.query
        .updateTable('queue_state')
        .set({ listens: '*' })
        .where('queue_id', '=', queue.id)
        .execute();
      const kinds = async () => {
        const rows = await service.context.db.query
          .selectFrom('event')
          .select('kind')
          .where('queue_id', '=', queue.id)
          .orderBy('kind')
          .execute();
        return rows.map(({ kind }) => kind);
      };
      await importText(list, 'email,referred_by\na@example.com,b@example.com\nb@example.com,\n');
      assert.deepEqual(await kinds(), []);
      await importText(
        list,
        'email,referred_by\nc@example.com,d@example.com\nd@example.com,a@example.com\n',
        {
          events: true,
        },
      );
      const [credited, created] = ['referral.credited', 'signup.created'];
      assert.deepEqual(await kinds(), [credited, credited, created, created]);
    });
  });

  describe('an import job', () => {
    it('can be resumed only with the same file, and only until it is finished', async () => {
      const list = await service.waitlist();
      const queue = await list.queue();
      const rows = Array.from({ length: 2_500 }, (_, at) => `p${at}@example.com`);
      const file = fileOf('resumed.csv', `email\n${rows.join('\n')}\n`);
      let jobId = '';
      const stopped = importFile(
        service.context,
        queue,
        file,
        {},
        ({ rows }) => {
          if (rows >= 1_000) throw new Error('stopped');
        },
        (id) => {
          jobId = id;
        },
      );
      await assert.rejects(stopped, /stopped/);
      assert.equal((await list.page()).body.total, 1_000);
      const changed = fileOf('changed.csv', `email\n${rows.slice(0, -1).join('\n')}\nq2499@example.com\n`);
      await assert.rejects(resumeImport(service.context, queue, changed, jobId), /is not the file that job_/);
      const result = await resumeImport(service.context, queue, file, jobId);
      assert.deepEqual([result.rows, result.created, result.skipped], [2_500, 2_500, 0]);
      assert.deepEqual(emails(await list.walk({ limit: 200 })), rows);
      await assert.rejects(resumeImport(service.context, queue, file, jobId), /there is no unfinished job/);
      await assert.rejects(resumeImport(service.context, queue, file, 'job_x'), /must look like job_/);
    });
  });
});
