import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { NOTHING_FOUND } from '../../src/waitlist/transfer/import/import-progress.ts';
import { type ImportOptions, importFile } from '../../src/waitlist/transfer/import/import-start.ts';
import { recountQueue } from '../../src/waitlist/upkeep/recount-queue.ts';
import { forEachEngine, type List, type Service, startService } from '../support/harness.ts';
import { typed } from '../support/terminal.ts';

const directory = mkdtempSync(path.join(tmpdir(), 'doorlist-recognition-'));
after(() => rmSync(directory, { recursive: true, force: true }));

const HOUR_MS = 3_600_000;
const FIRST = Date.UTC(2024, 0, 1);
const twoDigits = (value: number) => String(value).padStart(2, '0');

forEachEngine((engine) => {
  let service: Service;
  before(async () => {
    service = await startService(engine);
  });
  after(() => service.close());

  const fileOf = (text: string, name = 'people.csv') => {
    const file = path.join(directory, `${engine}-${name}`);
    writeFileSync(file, text);
    return file;
  };
  const importText = async (list: List, text: string, options: ImportOptions = {}, name = 'people.csv') => {
    const queue = await list.queue();
    const result = await importFile(service.context, queue, fileOf(text, name), options);
    assert.deepEqual((await recountQueue(service.context, queue, false)).findings, []);
    return result;
  };
  const timesIn = async (list: List) =>
    Object.fromEntries((await list.walk()).map(({ email, createdAt }) => [email?.[0], createdAt]));

  describe('a file of another service', () => {
    /** Many were referred by somebody whose row comes later, and no two by each other. */
    const rows = 5_000;
    const code = (at: number) => `R${(at * 7_919) % 1_000_003}`;
    const referrer = (at: number) => {
      if (at % 5 === 0) return null;
      if (at % 2 === 1) return Math.floor(at / 3);
      return at + 1_000 < rows ? at + 1_000 : null;
    };
    const joined = (at: number) => FIRST + at * 7 * 60_000;
    const shown = (at: number) => {
      const local = new Date(joined(at) - 8 * HOUR_MS);
      const hour = local.getUTCHours();
      return (
        `${local.getUTCMonth() + 1}/${local.getUTCDate()}/${local.getUTCFullYear()} ` +
        `${hour % 12 || 12}:${twoDigits(local.getUTCMinutes())} ${hour < 12 ? 'AM' : 'PM'}`
      );
    };

    it(`of ${rows} rows keeps every time and every referral`, async () => {
      const lines = Array.from({ length: rows }, (_, at) => {
        const by = referrer(at);
        return `p${at}@example.com,${shown(at)},${code(at)},${by === null ? '' : code(by)},"a note,\nin two lines"`;
      });
      const text = `Email Address,Signed up (PST),Referral code,Referred By Code,Notes\n${lines.join('\n')}\n`;
      const list = await service.waitlist();
      const queue = await list.queue();
      const file = fileOf(text, 'rival.csv');
      const check = await importFile(service.context, queue, file, { dryRun: true });
      const named = lines.filter((_, at) => referrer(at) !== null).length;
      const found = { ...NOTHING_FOUND, times: rows, referrals: named };
      assert.deepEqual([check.rows, check.created, check.found], [rows, rows, found]);
      assert.deepEqual(
        check.report.columns.map(({ field, isGuess, isUnknown }) => [field, isGuess, isUnknown]),
        [
          ['email', false, false],
          ['joinedAt', true, false],
          ['referralCode', false, false],
          ['referredBy', true, false],
          ['metadata.Notes', false, true],
        ],
      );
      assert.deepEqual(check.report.times, {
        ...{ column: 'Signed up (PST)', format: 'mdy', zone: 'PST' },
        ...{ isFormatGuess: false, isZoneGuess: false },
      });
      assert.deepEqual(check.report.warnings, [
        'A column that Doorlist does not know is kept as metadata: "Notes".',
      ]);

      const result = await importFile(service.context, queue, file, {});
      const kept = await service.context.db.query
        .selectFrom('entry')
        .select(['seq', 'created_at', 'referrer_seq'])
        .where('queue_id', '=', queue.id)
        .orderBy('seq')
        .execute();
      assert.deepEqual(
        kept.map(({ created_at }) => created_at),
        lines.map((_, at) => joined(at)),
      );
      assert.deepEqual(
        kept.map(({ referrer_seq }) => referrer_seq),
        lines.map((_, at) => (referrer(at) ?? -1) + 1 || null),
      );
      assert.deepEqual(result.found, found);
      assert.deepEqual((await recountQueue(service.context, queue, false)).findings, []);
    });

    it('is recognized by its columns', async () => {
      const files: Record<string, string> = {
        GetWaitlist:
          'email,created_at,referral_token,referred_by_signup_token,amount_referred\n' +
          'b@example.com,2023-05-02_10-00-00,T2,T1,0\na@example.com,2023-05-01_10-00-00,T1,,1\n',
        Waitlister:
          'email,referral_code,referred_by,referral_count,points,joined_at\n' +
          'b@example.com,cool-moon,happy-star,0,80,1682345678901\na@example.com,happy-star,,1,50,1682345000000\n',
        LaunchList:
          'name,email,position,referral_code,users_referred,referred_by,created_at\n' +
          'B,b@example.com,1,9ZK8QR,0,AAAAAA,2023-05-02 10:00:00\nA,a@example.com,2,AAAAAA,1,,2023-05-01 10:00:00\n',
        Prefinery:
          'email,status,Applied At,Referred By\n' +
          'b@example.com,applied,2023-05-02T10:00:00Z,a@example.com\na@example.com,applied,2023-05-01T10:00:00Z,\n',
        Mailchimp:
          'Email Address,First Name,MEMBER_RATING,OPTIN_TIME,OPTIN_IP,CONFIRM_TIME,CONFIRM_IP,LEID,EUID,Referred By\n' +
          'b@example.com,B,2,,,2023-05-02 10:00:00,10.0.0.1,1,x,a@example.com\n' +
          'a@example.com,A,2,2023-05-01 10:00:00,10.0.0.1,,,2,y,\n',
        Kit:
          'first_name,email,status,created_at,referred_by\n' +
          'B,b@example.com,active,2023-05-02T10:00:00Z,a@example.com\nA,a@example.com,active,2023-05-01T10:00:00Z,\n',
      };
      for (const [name, text] of Object.entries(files)) {
        const list = await service.waitlist();
        const { report, found } = await importText(list, text);
        assert.equal(report.service, name);
        assert.deepEqual([found.times, found.referrals, found.referralsUnresolved], [2, 1, 0], name);
        const people = await list.walk();
        assert.deepEqual(
          people.map(({ email, createdAt, referredBy }) => [email?.[0], createdAt.slice(0, 4), referredBy]),
          [
            ['a', '2023', null],
            ['b', '2023', 'a@example.com'],
          ],
          name,
        );
        assert.doesNotMatch(JSON.stringify(people.map(({ metadata }) => metadata)), /10\.0\.0\.1/);
      }
      const plain = await importText(await service.waitlist(), files.Kit ?? '', { preset: 'none' });
      assert.equal(plain.report.service, null);
    });
  });

  describe('times of an import', () => {
    it('are read as the rows say, or as the operator does', async () => {
      const day = await service.waitlist();
      const { report } = await importText(
        day,
        'email,Joined\na@example.com,03/04/2024\nb@example.com,13/04/2024\n',
      );
      assert.deepEqual([report.times?.format, report.times?.isFormatGuess], ['dmy', false]);
      assert.equal((await timesIn(day)).a, '2024-04-03T00:00:00.000Z');

      const text = 'email,Created at\na@example.com,03/04/2024 10:00\n';
      const guessed = await service.waitlist();
      const guess = await importText(guessed, text);
      assert.match(
        guess.report.warnings.join(' '),
        /can be read in two ways. They are read as month\/day\/year/,
      );
      assert.equal((await timesIn(guessed)).a, '2024-03-04T10:00:00.000Z');

      const told = await service.waitlist();
      const wishes = { timeFormat: 'dmy', timeZone: 'Europe/Berlin' } as const;
      const { warnings, times } = (await importText(told, text, wishes)).report;
      assert.doesNotMatch(warnings.join(' '), /two ways/);
      assert.deepEqual([times?.zone, times?.isZoneGuess], ['Europe/Berlin', false]);
      assert.equal((await timesIn(told)).a, '2024-04-03T08:00:00.000Z');
    });

    it('that cannot be read are counted, as is a file without any', async () => {
      const { found, report, failed } = await importText(
        await service.waitlist(),
        'email,Created at\na@example.com,soon\nb@example.com,2024-01-01\n',
      );
      assert.deepEqual([failed, found.times, found.timesUnread], [1, 1, 1]);
      assert.match(
        report.warnings.join(' '),
        /1 time in "Created at" could not be read. Its row is a bad row./,
      );
      const none = await importText(await service.waitlist(), 'email\na@example.com\n');
      assert.deepEqual(none.report.warnings, [
        'No column says when people joined. Everyone gets the time of the import.',
        'No column says who referred whom.',
      ]);
    });
  });

  it('referrers are found in the file, on the waitlist, or counted as missing', async () => {
    const list = await service.waitlist();
    await list.signup({ email: 'ada@example.com' });
    const { referralCode } = (await list.lookup('ada@example.com')).body;
    const text =
      'Email,Referred By Code\n' +
      `a@example.com,${referralCode}\nb@example.com,c@example.com\nc@example.com,ada@example.com\n` +
      'd@example.com,NOBODY\ne@example.com,e@example.com\nf@example.com,nobody@example.com\n';
    const check = await importText(list, text, { dryRun: true });
    assert.deepEqual(
      [check.found.referrals, check.found.referralsUnresolved, check.found.referralsCircular],
      [6, 2, 1],
    );
    const { found, report } = await importText(list, text);
    assert.deepEqual([found.referrals, found.referralsUnresolved, found.referralsCircular], [6, 2, 1]);
    assert.match(report.warnings.join(' '), /2 referrers in "Referred By Code" could not be found/);
    assert.equal((await list.lookup('ada@example.com')).body.referrals, 2);
    assert.equal((await list.lookup('b@example.com')).body.referredBy, 'c@example.com');
  });

  it('what bad rows have is counted, too, so that a column of them is not called empty', async () => {
    const { found, report } = await importText(
      await service.waitlist(),
      'email,phone,Created at,Referred by\nbad,+14155550123,2024-01-01,ada@example.com\n',
    );
    assert.deepEqual(found, { ...NOTHING_FOUND, times: 1, referrals: 1, phones: 1 });
    assert.deepEqual(report.warnings, []);
  });

  it('a status that is mapped keeps people joined, and is counted', async () => {
    const list = await service.waitlist();
    const { found, skipped } = await importText(
      list,
      'email,State,phone\na@example.com,Joined,+14155550123\nb@example.com,vip,\nc@example.com,removed,\n',
      { map: 'State=status' },
    );
    assert.deepEqual([found.statuses, found.statusesUnread, found.phones, skipped], [1, 1, 1, 1]);
    const statuses = (await list.walk()).map(({ email, status }) => [email?.[0], status]);
    assert.deepEqual(statuses, [
      ['a', 'joined'],
      ['b', 'waiting'],
    ]);
  });

  it('the command says what a file was taken for, and writes bad rows with their content', async () => {
    const list = await service.waitlist();
    const text =
      'E-Mail,Signed up (CET),constructor,__proto__\na@example.com,31.12.2024 12:00,x,y\n=bad,31.12.2024 13:00,"two\nlines",\n';
    const file = fileOf(text, 'command.csv');
    const rowsFile = path.join(directory, `${engine}-bad.csv`);
    const { environment } = service.storage;
    const words = ['import', file, '--waitlist', list.id, '--bad-rows', rowsFile];
    const check = await typed(environment, ...words, '--dry-run');
    assert.equal(check.code, 0, check.error);
    for (const line of [
      /^Would import 1 of 2 rows\.$/m,
      /^Signed up \(CET\) +joinedAt +guess$/m,
      /^constructor +metadata\.constructor +unknown column$/m,
      /^Times are read as day\/month\/year, in CET \(UTC\+1\)\.$/m,
      /^Found 2 times, 0 referrals, 0 statuses, 0 phones, 2 unknown columns\.$/m,
      /^Warning: Columns that Doorlist does not know are kept as metadata: "constructor", "column 4"\.$/m,
    ])
      assert.match(check.out, line);
    const done = await typed(environment, ...words);
    assert.match(done.out, /^To take it back: npm run -s doorlist -- import undo job_\w+ --waitlist \w+$/m);
    assert.equal((await timesIn(list)).a, '2024-12-31T11:00:00.000Z');
    assert.deepEqual((await list.lookup('a@example.com')).body.metadata, {
      constructor: 'x',
      'column 4': 'y',
    });
    assert.equal(statSync(rowsFile).mode & 0o777, 0o600);
    const rows = readFileSync(rowsFile, 'utf8');
    assert.match(
      rows,
      /^Doorlist line,Doorlist reason,E-Mail,Signed up \(CET\),constructor,column 4\r\n3,email: [^,]+,'=bad,31\.12\.2024 13:00,"two\nlines",\r\n$/,
    );
    const corrected = await importText(list, rows.replace("'=bad", 'good@example.com'), {}, 'corrected.csv');
    assert.equal(corrected.created, 1);
    assert.equal((await list.lookup('good@example.com')).body.createdAt, '2024-12-31T12:00:00.000Z');
  });
});
