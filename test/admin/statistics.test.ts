import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Static } from 'typebox';
import { confirmEntry } from '../../src/waitlist/entries/confirm-entry.ts';
import { eraseEntry } from '../../src/waitlist/entries/erase-entry.ts';
import { updateEntry } from '../../src/waitlist/entries/update-entry.ts';
import { updateWaitlist } from '../../src/waitlist/settings/update-waitlist.ts';
import { countValues } from '../../src/waitlist/statistics/count-values.ts';
import { importFile } from '../../src/waitlist/transfer/import/import-start.ts';
import { keepUp } from '../../src/waitlist/upkeep/upkeep.ts';
import type { StatisticsSchema } from '../../src/wire/statistics.ts';
import { assertError, forEachEngine, type List, START } from '../support/harness.ts';
import { type Mailing, startMailing } from '../support/mails.ts';
import { adminToken } from '../support/operators.ts';
import { type Receiver, startReceiver, status } from '../support/receiver.ts';
import { endpointFor, until } from '../support/webhooks.ts';

type Shown = Static<typeof StatisticsSchema>;

const HOUR = 60 * 60 * 1000;
const DAY = 24 * HOUR;
const directory = mkdtempSync(path.join(tmpdir(), 'doorlist-statistics-'));
after(() => rmSync(directory, { recursive: true, force: true }));

forEachEngine('time', (engine) => {
  let service: Mailing;
  let receiver: Receiver;
  let viewer: string;
  let support: string;
  before(async () => {
    receiver = await startReceiver();
    service = await startMailing(engine, undefined, { dispatcher: { pollMs: 10 } });
    viewer = await adminToken(service, 'viewer');
    support = await adminToken(service, 'support');
  });
  after(async () => {
    await service.close();
    await receiver.close();
  });

  const ask = (list: { id: string }, query: Record<string, string> = {}, key = support) =>
    service.request<Shown>('GET', `/admin/v1/waitlists/${list.id}/statistics?${new URLSearchParams(query)}`, {
      key,
    });
  const read = async (list: List, query: Record<string, string> = {}, key = support): Promise<Shown> => {
    const answer = await ask(list, query, key);
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  };
  const importCsv = async (list: List, text: string) => {
    const file = path.join(directory, `${list.id}.csv`);
    writeFileSync(file, text);
    return importFile(service.context, await list.queue(), file, {});
  };
  const withKeys = async (...metadataKeys: string[]): Promise<List> => {
    const list = await service.waitlist();
    await updateWaitlist(service.context, list.id, { metadataKeys });
    return list;
  };
  const count = async (list: List) => countValues(service.context, await list.queue());
  const busy = ({ series }: Shown, name: 'signups' | 'removed' | 'accepted' = 'signups') =>
    series.filter((each) => each[name] !== 0).map((each) => [each.at, each[name]]);

  describe('statistics', () => {
    it('of an empty waitlist are zeros, without gaps', async () => {
      const shown = await read(await service.waitlist());
      assert.equal(shown.series.length, 30);
      assert.deepEqual([shown.from, shown.to], ['2026-10-17T00:00:00.000Z', '2026-11-16T00:00:00.000Z']);
      assert.deepEqual(shown.series.at(-1), {
        at: '2026-11-15T00:00:00.000Z',
        signups: 0,
        referred: 0,
        confirmed: 0,
        invited: 0,
        accepted: 0,
        removed: 0,
        declined: 0,
      });
      assert.deepEqual(shown.referrals, { share: null, viralCoefficient: null, depth: [] });
      assert.deepEqual(shown.invites, {
        sent: 0,
        accepted: 0,
        open: 0,
        expired: 0,
        revoked: 0,
        acceptRate: null,
        timeToAccept: { medianMs: null, p90Ms: null },
      });
      assert.deepEqual([shown.topReferrers, shown.metadata], [[], []]);
    });

    it('tell the story of a waitlist', async () => {
      const list = await service.waitlist();
      const { context, clock } = service;
      const began = clock.now;
      await list.signup(
        { email: 'ann@example.com' },
        { email: 'ben@example.com', referredBy: 'ann@example.com' },
      );
      await list.signup(
        { email: 'cat@example.com', referredBy: 'ben@example.com' },
        { email: 'ann@example.com' },
      );
      const [first, second, third] = [
        await list.invite('ann@example.com'),
        await list.invite('stranger@example.com', { expiresAt: clock.now + HOUR }),
        await list.invite('cat@example.com'),
      ];
      clock.advance(10_000);
      await service.accept(first.code);
      await service.accept(first.code);
      clock.advance(2 * HOUR);
      await service.expire(list);
      await assert.rejects(service.revoke(second.code), { code: 'expired' });
      await service.revoke(third.code);
      await eraseEntry(context, await list.queue(), 'ben@example.com');
      const shown = await read(list);
      clock.now = began;
      assert.deepEqual(shown.totals, {
        signups: 3,
        referred: 2,
        confirmed: 0,
        invited: 3,
        accepted: 1,
        expired: 1,
        revoked: 1,
        removed: 1,
        declined: 0,
        downloads: 0,
        deletions: 0,
        pending: 0,
        waiting: 1,
        invitedNow: 0,
        joined: 1,
      });
      assert.deepEqual(shown.referrals, {
        share: 0.6667,
        viralCoefficient: 2,
        depth: [
          { depth: 0, signups: 1 },
          { depth: 1, signups: 1 },
          { depth: 2, signups: 1 },
        ],
      });
      const { timeToAccept, ...invites } = shown.invites;
      assert.deepEqual(invites, {
        sent: 3,
        accepted: 1,
        open: 0,
        expired: 1,
        revoked: 1,
        acceptRate: 0.3333,
      });
      for (const ms of [timeToAccept.medianMs, timeToAccept.p90Ms])
        assert.ok(ms !== null && ms > 10_000 / Math.SQRT2 && ms < 10_000 * Math.SQRT2, String(ms));
    });

    it('count confirmations, and invites that an erasure revokes', async () => {
      const list = await service.waitlist();
      const { context } = service;
      await updateWaitlist(context, list.id, { confirmEmails: true });
      const queue = await list.queue();
      await list.signup({ email: 'ann@example.com' }, { email: 'ben@example.com' });
      const [ann] = await list.walk();
      await confirmEntry(context, queue, ann?.id ?? '');
      await confirmEntry(context, queue, ann?.id ?? '');
      await list.invite('ben@example.com');
      await eraseEntry(context, queue, 'ben@example.com');
      const { totals, invites } = await read(list);
      assert.deepEqual([totals.confirmed, totals.revoked, totals.removed, invites.open], [1, 1, 1, 0]);
      assert.deepEqual([totals.signups, totals.pending, totals.waiting], [2, 0, 1]);
    });

    it('keep a removed entry in the day on which it joined', async () => {
      const list = await service.waitlist();
      const { context, clock } = service;
      const began = clock.now;
      await list.signup({ email: 'ann@example.com' });
      clock.advance(2 * DAY);
      await eraseEntry(context, await list.queue(), 'ann@example.com');
      const shown = await read(list);
      clock.now = began;
      assert.deepEqual(busy(shown), [['2026-11-15T00:00:00.000Z', 1]]);
      assert.deepEqual(busy(shown, 'removed'), [['2026-11-17T00:00:00.000Z', 1]]);
    });

    it('count imported people when they joined, at the right depth, whatever the order of the file', async () => {
      const list = await service.waitlist();
      await importCsv(
        list,
        'email,joined_at,referred_by\n' +
          'd@example.com,2026-11-01T12:00:00Z,c@example.com\n' +
          'c@example.com,2026-11-02T12:00:00Z,b@example.com\n' +
          'b@example.com,2026-11-03T12:00:00Z,a@example.com\n' +
          'a@example.com,2026-11-03T13:00:00Z,\n',
      );
      const shown = await read(list);
      assert.deepEqual(busy(shown), [
        ['2026-11-01T00:00:00.000Z', 1],
        ['2026-11-02T00:00:00.000Z', 1],
        ['2026-11-03T00:00:00.000Z', 2],
      ]);
      assert.deepEqual(
        shown.referrals.depth,
        [0, 1, 2, 3].map((depth) => ({ depth, signups: 1 })),
      );
    });

    it('show the top referrers, masked for viewers', async () => {
      const list = await service.waitlist();
      await list.signup({ email: 'ann@example.com' }, { phone: '+4915112345678' });
      await list.signup(
        ...['b', 'c', 'd'].map((name) => ({ email: `${name}@example.com`, referredBy: 'ann@example.com' })),
        { email: 'e@example.com', referredBy: '+4915112345678' },
      );
      const names = ({ topReferrers }: Shown) =>
        topReferrers.map(({ entry }) => [entry.email, entry.phone, entry.referrals]);
      assert.deepEqual(names(await read(list)), [
        ['ann@example.com', null, 3],
        [null, '+4915112345678', 1],
      ]);
      assert.deepEqual(names(await read(list, {}, viewer)), [
        ['a…@e….com', null, 3],
        [null, '+49…78', 1],
      ]);
    });
  });

  describe('the period of statistics', () => {
    let list: List;
    before(async () => {
      list = await service.waitlist();
      const times = [
        '2026-10-24T21:59:00Z',
        '2026-10-24T22:00:00Z',
        '2026-10-25T22:59:00Z',
        '2026-10-25T23:00:00Z',
      ];
      await importCsv(
        list,
        `email,joined_at\n${times.map((time, n) => `p${n}@example.com,${time}`).join('\n')}\n`,
      );
    });

    it('follows the clocks of the time zone: a day can have 25 hours', async () => {
      const timeZone = 'Europe/Berlin';
      const days = await read(list, { timeZone, from: '2026-10-24', to: '2026-10-27' });
      assert.deepEqual(busy(days), [
        ['2026-10-23T22:00:00.000Z', 1],
        ['2026-10-24T22:00:00.000Z', 2],
        ['2026-10-25T23:00:00.000Z', 1],
      ]);
      assert.deepEqual([days.timeZone, days.to], [timeZone, '2026-10-26T23:00:00.000Z']);
      const hours = await read(list, { timeZone, from: '2026-10-25', to: '2026-10-26', interval: 'hour' });
      assert.equal(hours.series.length, 25);
      assert.deepEqual(busy(hours), [
        ['2026-10-24T22:00:00.000Z', 1],
        ['2026-10-25T22:00:00.000Z', 1],
      ]);
      const weeks = await read(list, { timeZone, from: '2026-10-20', to: '2026-10-28', interval: 'week' });
      assert.deepEqual(busy(weeks), [
        ['2026-10-18T22:00:00.000Z', 3],
        ['2026-10-25T23:00:00.000Z', 1],
      ]);
    });

    it('knows time zones with quarters of an hour', async () => {
      const { series } = await read(list, {
        timeZone: 'Asia/Kathmandu',
        from: '2026-10-25',
        to: '2026-10-26',
      });
      assert.deepEqual(
        series.map(({ at, signups }) => [at, signups]),
        [['2026-10-24T18:15:00.000Z', 2]],
      );
    });

    it('is widened to whole intervals', async () => {
      const { from, to } = await read(list, {
        from: '2026-10-24T12:00:00+02:00',
        to: '2026-10-25T00:00:01Z',
      });
      assert.deepEqual([from, to], ['2026-10-24T00:00:00.000Z', '2026-10-26T00:00:00.000Z']);
    });

    it('can be two years by day, and no more', async () => {
      assert.equal((await read(list, { from: '2024-11-15', to: '2026-11-16' })).series.length, 731);
      assertError(
        await ask(list, { from: '2024-11-14', to: '2026-11-16' }),
        400,
        'invalid_request',
        'from: at most 2 years by day',
      );
      assertError(
        await ask(list, { from: '2026-10-01', interval: 'hour' }),
        400,
        'invalid_request',
        'from: at most 31 days by hour',
      );
    });

    it('can be ten years by week, which are 523 weeks if they begin and end within one', async () => {
      const years = { from: '2016-01-01', to: '2026-01-01', interval: 'week' };
      assert.equal((await read(list, years)).series.length, 523);
      assertError(
        await ask(list, { ...years, from: '2015-12-21' }),
        400,
        'invalid_request',
        'from: at most 10 years by week',
      );
    });

    it('can be 31 days by hour, also when one of them has 25 hours', async () => {
      const days = { from: '2026-10-16', to: '2026-11-16', interval: 'hour', timeZone: 'Europe/Berlin' };
      assert.equal((await read(list, days)).series.length, 31 * 24 + 1);
    });

    const refused: [Record<string, string>, RegExp][] = [
      [{ timeZone: 'Mars/Olympus' }, /^timeZone: must be the name of a time zone/],
      [{ timeZone: '+02:00' }, /^timeZone: must be/],
      [{ timeZone: '' }, /^timeZone: must be/],
      [{ from: 'yesterday' }, /^from: must be a date such as/],
      [{ from: '2026-02-30' }, /^from: must be/],
      [{ to: '2026-11-01T00:00:00' }, /^to: must be/],
      [{ from: '2026-02-30T00:00:00Z' }, /^from: must be a date such as/],
      [{ to: '9999-01-01' }, /^to: must be from 1980 to 2199$/],
      [{ from: '2026-11-02', to: '2026-11-02' }, /^to: must be after from/],
      [{ from: '2199-01-01' }, /^from: must be in the past: without to, the period ends now$/],
      [{ interval: 'month' }, /interval/],
      [{ form: '2026-11-01' }, /form/],
    ];
    for (const [query, why] of refused)
      it(`cannot be ${JSON.stringify(query)}`, async () => {
        assertError(await ask(list, query), 400, 'invalid_request', why);
      });

    it('belongs to a waitlist and an environment that exist', async () => {
      assertError(await ask({ id: 'wl_nowhere' }), 404, 'not_found');
      assertError(await ask(list, { environment: 'staging' }), 404, 'not_found');
      const { totals } = await read(list, { environment: 'development', from: '2026-10-01' });
      assert.equal(totals.signups, 0);
    });
  });

  describe('values of metadata keys', () => {
    const values = ({ metadata }: Shown) =>
      metadata?.map(({ key, values, other }) => [
        key,
        values.map(({ value, signups }) => [value, signups]),
        other,
      ]);

    it('are counted as they are, also those from before the key was chosen', async () => {
      const list = await withKeys('plan');
      await list.signup(
        { email: 'a@example.com', metadata: { plan: 'pro', seats: 3 } },
        { email: 'b@example.com', metadata: { plan: 'pro', seats: '3' } },
        { email: 'c@example.com', metadata: { plan: 'free', seats: true } },
        { email: 'd@example.com', metadata: { plan: ['pro'], seats: null } },
        { email: 'e@example.com', metadata: { plan: 'x'.repeat(101), toString: 'odd' } },
        { email: 'f@example.com' },
      );
      await count(list);
      const plans = [
        'plan',
        [
          ['pro', 2],
          ['free', 1],
        ],
        1,
      ];
      assert.deepEqual(values(await read(list)), [plans]);
      await updateWaitlist(service.context, list.id, { metadataKeys: ['seats', 'plan', 'constructor'] });
      await keepUp(service.context);
      await count(list);
      assert.deepEqual(values(await read(list)), [
        [
          'seats',
          [
            ['3', 1],
            [3, 1],
            [true, 1],
          ],
          0,
        ],
        plans,
        ['constructor', [], 0],
      ]);
      await updateWaitlist(service.context, list.id, { metadataKeys: [] });
      assert.deepEqual(values(await read(list)), []);
    });

    it('beyond the first 200 count as others', async () => {
      const list = await withKeys('source');
      for (const from of [0, 100, 200])
        await list.signup(
          ...Array.from({ length: 70 }, (_, n) => ({
            email: `p${from + n}@example.com`,
            metadata: { source: `s${from + n}` },
          })),
        );
      await list.signup({ email: 'again@example.com', metadata: { source: 's0' } });
      await count(list);
      const [source] = (await read(list)).metadata ?? [];
      assert.deepEqual([source?.values.length, source?.other], [200, 10]);
      assert.deepEqual(source?.values[0], { value: 's0', signups: 2 });
    });

    it('that nobody has any more cannot be read any more, but still count', async () => {
      const list = await withKeys('city');
      const { db } = service.context;
      const queue = await list.queue();
      await list.signup(
        { email: 'a@example.com', metadata: { city: 'Ulm' } },
        { email: 'b@example.com', metadata: { city: 'Bonn' } },
        { email: 'c@example.com', metadata: { city: 'Bonn' } },
      );
      await count(list);
      await eraseEntry(service.context, queue, 'a@example.com');
      await eraseEntry(service.context, queue, 'b@example.com');
      assert.deepEqual(values(await read(list)), [['city', [['Bonn', 2]], 1]]);
      const labels = await db.query
        .selectFrom('metadata_value')
        .selectAll()
        .where('queue_id', '=', queue.id)
        .execute();
      assert.equal(labels.length, 1);
      await list.signup({ email: 'd@example.com', metadata: { city: 'Ulm' } });
      await count(list);
      assert.deepEqual(values(await read(list)), [
        [
          'city',
          [
            ['Bonn', 2],
            ['Ulm', 1],
          ],
          1,
        ],
      ]);
    });

    it('follow a change of the metadata', async () => {
      const list = await withKeys('city');
      await list.signup(
        { email: 'a@example.com', metadata: { city: 'Ulm', plan: 'pro' } },
        { email: 'b@example.com', metadata: { city: 'Bonn' } },
      );
      await count(list);
      const [a, b] = await list.walk();
      const queue = await list.queue();
      await updateEntry(service.context, queue, a?.id ?? '', { metadata: { city: 'Bonn' } });
      await updateEntry(service.context, queue, b?.id ?? '', { metadata: { city: 'Bonn', plan: 'free' } });
      assert.deepEqual(values(await read(list)), [['city', [['Bonn', 2]], 0]]);
      await updateEntry(service.context, queue, a?.id ?? '', { metadata: null });
      assert.deepEqual(values(await read(list)), [['city', [['Bonn', 1]], 0]]);
      await list.signup({ email: 'c@example.com' });
      const [, , c] = await list.walk();
      await updateEntry(service.context, queue, c?.id ?? '', { metadata: { city: 'Kiel' } });
      await count(list);
      assert.deepEqual(values(await read(list)), [
        [
          'city',
          [
            ['Bonn', 1],
            ['Kiel', 1],
          ],
          0,
        ],
      ]);
    });

    it('are hidden from viewers, who would learn a value by comparing two answers', async () => {
      const list = await withKeys('team');
      const queue = await list.queue();
      const today = new Date(service.clock.now).toISOString();
      const questions: Record<string, string>[] = [
        {},
        { interval: 'hour' },
        { interval: 'week' },
        { timeZone: 'Pacific/Kiritimati' },
        { environment: 'development' },
        { from: today.slice(0, 10) },
        { from: '2026-10-01', to: '2026-10-02' },
        { from: '2026-10-01', to: '2026-10-08', interval: 'week' },
      ];
      const seen = () =>
        Promise.all(questions.map(async (query) => (await read(list, query, viewer)).metadata));
      const people = (name: string, count: number, team: string) =>
        Array.from({ length: count }, (_, n) => ({ email: `${name}${n}@example.com`, metadata: { team } }));
      const nothing = questions.map(() => null);
      await list.signup(...people('red', 5, 'red'), ...people('blue', 4, 'blue'));
      await count(list);
      assert.deepEqual(await seen(), nothing);
      const [first] = await list.walk();
      const steps: [string, () => Promise<unknown>][] = [
        ['one more of a large group', () => list.signup(...people('next', 1, 'red'))],
        ['one that makes a group large', () => list.signup(...people('fifth', 1, 'blue'))],
        ['one of its own', () => list.signup(...people('own', 1, 'green'))],
        [
          'a change',
          () => updateEntry(service.context, queue, first?.id ?? '', { metadata: { team: 'blue' } }),
        ],
        ['a removal', () => eraseEntry(service.context, queue, 'own0@example.com')],
        [
          'an import into a day that is over',
          () =>
            importCsv(
              list,
              `email,joined_at,team\n${people('past', 6, '')
                .map(({ email }) => `${email},2026-10-01T12:00:00Z,red`)
                .join('\n')}\n`,
            ),
        ],
      ];
      for (const [name, step] of steps) {
        await step();
        await count(list);
        assert.deepEqual(await seen(), nothing, name);
      }
      assert.deepEqual(values(await read(list, { from: '2026-10-01', to: '2026-10-02' })), [
        ['team', [['red', 6]], 0],
      ]);
    });

    it('are stored sealed', async () => {
      const list = await withKeys('mood');
      await list.signup({ email: 'a@example.com', metadata: { mood: 'melancholic' } });
      await count(list);
      const { id } = await list.queue();
      for (const table of ['metadata_value', 'metadata_count'] as const) {
        const rows = await service.context.db.query
          .selectFrom(table)
          .selectAll()
          .where('queue_id', '=', id)
          .execute();
        assert.equal(rows.length, 1);
        for (const cell of Object.values(rows[0] ?? {}))
          assert.doesNotMatch(
            cell instanceof Uint8Array ? Buffer.from(cell).toString('latin1') : String(cell),
            /melanch/,
          );
      }
    });

    it('are counted in a new environment, too', async () => {
      const list = await withKeys('plan');
      const { context } = service;
      const { createEnvironment } = await import('../../src/waitlist/settings/environments.ts');
      const environment = `e-${engine}`;
      await createEnvironment(context, environment);
      const keys = await read(list, { environment });
      assert.deepEqual(values(keys), [['plan', [], 0]]);
    });

    it('are of at most five keys', async () => {
      const list = await service.waitlist();
      const refuse = (metadataKeys: string[], why: RegExp) =>
        assert.rejects(updateWaitlist(service.context, list.id, { metadataKeys }), why);
      await refuse(['a', 'b', 'c', 'd', 'e', 'f'], /at most 5 keys/);
      await refuse(['a', 'a'], /a key twice/);
      await refuse([''], /1 to 64 characters/);
      await refuse(['x'.repeat(65)], /1 to 64 characters/);
    });
  });

  it('the health of webhooks and emails is counted by outcome', async () => {
    const list = await service.waitlist();
    const { context } = service;
    const queue = await list.queue();
    await endpointFor(context, queue, receiver.url, { events: ['signup.created'] });
    receiver.answer = status(500);
    await list.signup({ email: 'ann@example.com' });
    const health = async () => {
      const { webhooks, emails } = await read(list, { interval: 'hour' });
      return { webhooks, emails };
    };
    await until('the failed attempt is counted', async () => (await health()).webhooks.retried === 1);
    receiver.answer = status(200);
    service.clock.advance(HOUR);
    service.wake();
    await until('the delivery is counted', async () => (await health()).webhooks.delivered === 1);
    await list.invite('ann@example.com');
    await until('the kept email is counted', async () => (await health()).emails.kept >= 1);
    const { webhooks, emails } = await health();
    assert.deepEqual([webhooks.retried, webhooks.delivered, webhooks.failed, emails.sent], [1, 1, 0, 0]);
    assert.deepEqual(
      webhooks.series.filter(({ retried, delivered }) => retried + delivered > 0).map(({ at }) => at),
      [START, START + HOUR].map((time) => new Date(time - (time % HOUR)).toISOString()),
    );
  });
});
