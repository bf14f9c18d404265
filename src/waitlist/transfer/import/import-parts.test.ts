import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  chooseColumns,
  nameColumns,
  parseColumnMap,
  recognizeService,
  resolveColumns,
} from '../files/columns.ts';
import { readCell, writeCell } from '../files/csv-record.ts';
import { TimeEvidence } from '../files/time-evidence.ts';
import { type TimeFormat, timeReader } from '../files/times.ts';
import { Referrals } from './circles.ts';

const HALF = Date.UTC(2024, 1, 29, 12, 30);

describe('times of a file', () => {
  const read = (value: unknown, format: TimeFormat | null = null, zone = 'UTC') =>
    timeReader({ format, zone })(value);

  it('are read as ISO 8601 with and without a zone, and as seconds and milliseconds since 1970', () => {
    assert.equal(read('2024-02-29'), Date.UTC(2024, 1, 29));
    for (const text of [
      ...[' 2024-02-29T12:30Z ', '2024-02-29 12:30:00 UTC', '2024-02-29T14:30:00+0200'],
      ...['2024-02-29T08:00:00-04:30', '2024-02-29_12-30-00', '2024/02/29 12:30', '2024-02-29 4:30 AM PST'],
    ])
      assert.equal(read(text), HALF, text);
    assert.equal(read('2024-02-29T12:30:00.123456'), HALF + 123);
    assert.equal(read(HALF), HALF);
    assert.equal(read(String(HALF / 1000)), HALF);
    assert.equal(read('86400', 'unix'), 86_400_000);
    assert.equal(read('86400000', 'unix-ms'), 86_400_000);
  });

  it('are read with the month first, the day first or in words', () => {
    for (const [text, format] of [
      ['2/29/2024 12:30', 'mdy'],
      ['02/29/24, 12:30 PM', 'mdy'],
      ['29.02.2024 12:30', 'dmy'],
      ['29/2/2024 12:30:00', 'dmy'],
      ['29-02-2024 12:30', 'dmy'],
      ['Feb 29, 2024 at 12:30 p.m.', 'words'],
      ['29 February 2024 12:30', 'iso'],
      ['Thu, 29 Feb 2024 12:30:00 GMT', null],
      ['Thu Feb 29 2024 12:30:00 GMT+0000 (Coordinated Universal Time)', null],
    ] as const)
      assert.equal(read(text, format), HALF, text);
  });

  it('take the zone of their column, also where clocks change', () => {
    const hour = 3_600_000;
    assert.equal(read('2/29/2024 4:30 AM', 'mdy', 'PST'), HALF);
    assert.equal(read('7/1/2024 00:00', 'mdy', 'PST'), Date.UTC(2024, 6, 1, 8));
    assert.equal(read('7/1/2024 00:00', 'mdy', 'Pacific Time'), Date.UTC(2024, 6, 1, 7));
    assert.equal(read('2024-02-29T13:30', null, 'CET'), HALF);
    const berlin = (text: string) => read(text, null, 'Europe/Berlin');
    assert.equal(berlin('2024-03-31T01:59:59'), Date.UTC(2024, 2, 31, 0, 59, 59));
    assert.equal(berlin('2024-03-31T03:00'), Date.UTC(2024, 2, 31, 1));
    assert.equal(berlin('2024-10-27T01:30'), Date.UTC(2024, 9, 26, 23, 30));
    assert.equal(berlin('2024-10-27T03:00'), Date.UTC(2024, 9, 27, 2));
    assert.equal((berlin('2024-07-01') ?? 0) + 2 * hour, Date.UTC(2024, 6, 1));
  });

  it('are refused if they are ambiguous, impossible or none', () => {
    const refused = [
      ...['03/04/2024', '2023-02-29', '2024-13-01', '2024-01-01T25:00', '2024-01-01T24:00:00Z', '0099-01-01'],
      ...[
        '2024-01-01T00:00:00+15:00',
        '2024-01-01T00:00:00+02:75',
        '2024-01-01 13:00 PM',
        '2024-01-01 10:00 XYZ',
      ],
      ...['2024', 'today', '', {}, true, '1'.repeat(100), 'Febtober 3, 2024'],
    ];
    for (const text of refused) assert.equal(read(text), undefined, String(text));
    assert.equal(read('13/13/2024', 'dmy'), undefined);
    assert.equal(read('29/02/2024', 'mdy'), undefined);
  });

  it('tell their format if one of them can be read in one way only', () => {
    const found = (values: unknown[], zone: string | null = null) => {
      const evidence = new TimeEvidence();
      for (const value of values) evidence.add(value);
      const { format, isFormatGuess, zone: used, isZoneGuess } = evidence.read('at', null, zone);
      return [format, isFormatGuess, used, isZoneGuess];
    };
    assert.deepEqual(found(['3/4/2024', '3/13/2024', '']), ['mdy', false, 'UTC', true]);
    assert.deepEqual(found(['3/4/2024', '13/3/2024'], 'CET'), ['dmy', false, 'CET', false]);
    assert.deepEqual(found(['3/4/2024', '5/6/2024']), ['mdy', true, 'UTC', true]);
    assert.deepEqual(found(['3.4.2024']), ['dmy', true, 'UTC', true]);
    assert.deepEqual(found(['13/3/2024', '3/13/2024', '14/3/2024']), ['dmy', true, 'UTC', true]);
    assert.deepEqual(found(['2024-01-02T10:00:00Z']), ['iso', false, 'UTC', false]);
    assert.deepEqual(found([1_709_209_800]), ['unix', false, 'UTC', false]);
    assert.deepEqual(found([1_709_209_800_000]), ['unix-ms', false, 'UTC', false]);
    assert.deepEqual(found(['5 Jan 2024']), ['words', false, 'UTC', true]);
    assert.deepEqual(found(['never']), [null, false, 'UTC', false]);
  });
});

describe('cells', () => {
  it('round-trip unchanged, and never start a formula', () => {
    for (const text of ['=1', '+1', '-1', '@a', '\t=', "'=1", "''@", "'", "it's", 'a"b', ' x ', 'a\nb', '']) {
      const written = writeCell(text);
      const cell = written.startsWith('"') ? written.slice(1, -1).replaceAll('""', '"') : written;
      assert.doesNotMatch(cell, /^[=+\-@\t\r]/);
      assert.equal(readCell(cell), text);
    }
  });
});

describe('columns', () => {
  const choice = { map: {}, preset: null, dropUnmapped: false, own: false };

  it('are recognized by name in any spelling, or become metadata', () => {
    const names = [
      'E-Mail',
      'Phone Number',
      'referred_by',
      'createdAt',
      'Language',
      'Plan',
      'metadata.Seats',
    ];
    assert.deepEqual(names.map(chooseColumns(choice, names)), [
      ...['email', 'phone', 'referredBy', 'joinedAt', 'language', 'metadata.Plan', 'metadata.Seats'],
    ]);
    assert.equal(chooseColumns({ ...choice, dropUnmapped: true }, names)('metadata.Seats'), 'metadata.Seats');
  });

  it('that a preset has other names for are still recognized, unless the file has those, too', () => {
    const prefinery = { ...choice, preset: 'prefinery' };
    const usual = ['email', 'phone', 'created at', 'language'];
    assert.deepEqual(usual.map(chooseColumns(prefinery, usual)), ['email', 'phone', 'joinedAt', 'language']);
    const both = ['email', 'telephone', 'phone', 'Applied At', 'created_at'];
    assert.deepEqual(both.map(chooseColumns(prefinery, both)), [
      ...['email', 'phone', 'metadata.phone', 'joinedAt', 'metadata.created_at'],
    ]);
    const without = ['email', 'status', 'applied at'];
    assert.deepEqual(without.map(chooseColumns(choice, without)), ['email', 'metadata.status', 'joinedAt']);
  });

  it('are not guessed when the operator maps them', () => {
    const map = parseColumnMap('Contact, work=email,x=-');
    const names = ['Contact, work', 'work', 'email', 'x'];
    const targetOf = chooseColumns({ ...choice, map, dropUnmapped: true }, names);
    assert.deepEqual(names.map(targetOf), ['email', '-', '-', '-']);
  });

  it('are recognized in other words, which is shown as a guess', () => {
    const names = ['Email Address*', 'Signed up (PST)', 'Referred By Code', 'Referral code', 'Mobile (work)'];
    assert.deepEqual(
      resolveColumns(choice, names).map(({ field, isGuess, zone }) => [field, isGuess, zone]),
      [
        ['email', false, null],
        ['joinedAt', true, 'PST'],
        ['referredBy', true, null],
        ['referralCode', false, null],
        ['phone', true, null],
      ],
    );
    const utc = ['E-MAIL', 'Created at (UTC)', 'created_at_utc', 'Signed up'];
    assert.deepEqual(
      resolveColumns(choice, utc).map(({ field, isGuess, isUnknown }) => [field, isGuess, isUnknown]),
      [
        ['email', false, false],
        ['joinedAt', false, false],
        ['joinedAt', false, false],
        ['metadata.Signed up', false, true],
      ],
    );
    assert.deepEqual(chooseColumns(choice, ['Mail', 'Mail 2'])('Mail 2'), 'metadata.Mail 2');
  });

  it('with the names of what every object has are ordinary ones', () => {
    const names = ['email', 'constructor', '__proto__', 'toString', 'has own property', 'valueOf (UTC)'];
    for (const preset of [null, 'getwaitlist', 'none'])
      assert.deepEqual(
        resolveColumns({ ...choice, preset }, names).map(({ field }) => field),
        ['email', ...names.slice(1).map((name) => `metadata.${name}`)],
      );
  });

  it('with a name that is too long for a key become a shorter one', () => {
    const question = `What would you like to build with it, and why? ${'Please tell us all. '.repeat(5)}`;
    const [column] = resolveColumns(choice, [question]);
    assert.equal(column?.field, `metadata.${question.slice(0, 64).trimEnd()}`);
  });

  it('tell which service a file is from', () => {
    const services = {
      getwaitlist: ['email', 'created_at', 'referral_token', 'referred_by_signup_token'],
      waitlister: ['Email', 'Referral Code', 'Referral Count', 'Points', 'Joined At'],
      launchlist: ['name', 'email', 'position', 'referral_code', 'users_referred'],
      prefinery: ['email', 'status', 'Applied At'],
      mailchimp: [
        'Email Address',
        'First Name',
        'MEMBER_RATING',
        'OPTIN_TIME',
        'OPTIN_IP',
        'CONFIRM_TIME',
        'LEID',
      ],
      kit: ['first_name', 'email', 'status', 'created_at'],
    };
    for (const [service, names] of Object.entries(services)) assert.equal(recognizeService(names), service);
    assert.equal(recognizeService(['email', 'referral_code', 'joined_at']), null);
    assert.equal(recognizeService(['constructor', '__proto__']), null);
  });

  it('must have distinct names', () => {
    const names = nameColumns(['a', '', 'a', ' a ', '__proto__']);
    assert.deepEqual(names, ['a', 'column 2', 'a 2', 'a 3', 'column 5']);
  });
});

describe('circles of referrals', () => {
  const membersOf = async (referrers: readonly number[]) => {
    const referrals = new Referrals();
    try {
      for (const [seq, referrer] of referrers.entries()) if (referrer > 0) referrals.add(seq, referrer);
      await referrals.findCircles();
      const members = referrals.after(0, referrers.length);
      assert.equal(referrals.size, members.length);
      for (const seq of referrers.keys())
        assert.equal(referrals.has(seq), members.includes(seq), String(seq));
      return members;
    } finally {
      referrals.close();
    }
  };

  it('have the members of a circle, and not those who lead to one', async () => {
    //                                    1  2  3  4  5  6  7  8
    assert.deepEqual(await membersOf([0, 2, 3, 1, 3, 0, 5, 7, 6]), [1, 2, 3, 7]);
  });

  it('are found in linear time however long the chains are, and others work meanwhile', async () => {
    const length = 200_000;
    for (const last of [0, 1]) {
      const referrals = new Referrals();
      for (let seq = 1; seq < length - 1; seq += 1) referrals.add(seq, seq + 1);
      if (last > 0) referrals.add(length - 1, last);
      let turns = 0;
      const turning = setInterval(() => {
        turns += 1;
      });
      await referrals.findCircles();
      clearInterval(turning);
      assert.ok(turns > 20, `${turns} turns`);
      assert.equal(referrals.size, last > 0 ? length - 1 : 0);
      assert.deepEqual(referrals.after(100, 2), last > 0 ? [101, 102] : []);
      referrals.close();
    }
  });
});
