import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Static } from 'typebox';
import { checkInstallation } from '../../src/installation/health.ts';
import { parseId } from '../../src/lib/ids.ts';
import { startInviteRun } from '../../src/waitlist/invites/invite-run.ts';
import { keepUp } from '../../src/waitlist/upkeep/upkeep.ts';
import { OPEN_WAVES_MAX } from '../../src/waitlist/waves/change-waves.ts';
import type { WaveDetailsSchema, WaveForecastSchema, WaveSchema } from '../../src/wire/wave.ts';
import { type AskInRoles, askInRoles } from '../support/admin.ts';
import { crowdEmail, fillQueue } from '../support/crowd.ts';
import { assertError, forEachEngine, type List, type Service, startService } from '../support/harness.ts';
import { createStorage, type Storage } from '../support/storage.ts';
import { command } from '../support/terminal.ts';

interface Mailable {
  mailable: { mailable: boolean; reason: string | null };
}
type Wave = Static<typeof WaveSchema> & Mailable;
type Details = Static<typeof WaveDetailsSchema> & Mailable;
type Forecast = Static<typeof WaveForecastSchema>;

const DAY_MS = 86_400_000;
const WEEKDAYS = {
  ...{ timeZone: 'Europe/Berlin', time: '09:00', repeat: 'weekly' },
  days: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'],
} as const;

forEachEngine((engine) => {
  let storage: Storage;
  let service: Service;
  let ask: AskInRoles;
  before(async () => {
    storage = await createStorage(engine, { migrated: true });
    service = await startService(engine, { storage });
    ask = await askInRoles(service, 'support');
  });
  after(async () => {
    await service.close();
    await storage.remove();
  });

  const pathOf = (of: List, id?: string) => `/waitlists/${of.id}/waves${id ? `/${id}` : ''}`;
  const create = <T = Wave>(of: List, body: object, role = 'support') =>
    ask<T>('POST', pathOf(of), { body, role });
  const change = (of: List, id: string, body: object) => ask<Wave>('PATCH', pathOf(of, id), { body });
  const read = async (of: List, id: string, role = 'support') =>
    (await ask<Details>('GET', pathOf(of, id), { role })).body;
  const run = async <T>(...words: string[]): Promise<T> => {
    const { code, error, json } = await command<T>(storage.environment, ...words);
    assert.equal(code, 0, error);
    return json;
  };

  describe('waves in the admin API', () => {
    it('are created, listed, changed, paused, resumed and stopped, with a record of each', async () => {
      const of = await service.waitlist();
      const body = { name: ' Mornings ', count: 500, schedule: WEEKDAYS, untilJoined: 10_000 };
      const { status, body: wave, text } = await create(of, body);
      assert.equal(status, 201, text);
      assert.deepEqual(
        [wave.name, wave.state, wave.nextRunAt, wave.count, wave.untilJoined, wave.failurePercent],
        ['Mornings', 'scheduled', '2026-11-16T08:00:00.000Z', 500, 10_000, 10],
      );
      assert.deepEqual(wave.schedule, WEEKDAYS);
      const planned = await create<Forecast & Mailable>(of, { ...body, dryRun: true });
      for (const { mailable } of [wave, planned.body, await read(of, wave.id)])
        assert.deepEqual([mailable.mailable, mailable.reason], [false, 'no_mail_server']);
      assert.match(wave.id, /^wav_/);
      service.clock.advance(1);
      const { body: open } = await create(of, { name: 'Trickle', keepOpen: 20 });
      const first = await ask<{ waves: Wave[]; nextCursor: string }>('GET', `${pathOf(of)}?limit=1`);
      assert.deepEqual(
        first.body.waves.map(({ id }) => id),
        [open.id],
      );
      const next = await ask<{ waves: Wave[]; nextCursor: string | null }>(
        'GET',
        `${pathOf(of)}?limit=1&cursor=${first.body.nextCursor}`,
      );
      assert.deepEqual([next.body.waves[0]?.id, next.body.nextCursor], [wave.id, null]);
      const other = await ask<{ waves: Wave[] }>('GET', `${pathOf(of)}?environment=development`);
      assert.deepEqual(other.body.waves, []);

      const changed = await change(of, wave.id, { count: null, schedule: { ...WEEKDAYS, time: '10:30' } });
      assert.deepEqual([changed.body.count, changed.body.nextRunAt], [null, '2026-11-16T09:30:00.000Z']);
      const paused = await change(of, wave.id, { paused: true });
      assert.deepEqual([paused.body.state, paused.body.nextRunAt], ['paused', null]);
      assert.equal((await change(of, wave.id, { paused: true })).body.state, 'paused');
      assert.equal((await change(of, wave.id, { paused: false })).body.state, 'scheduled');
      const stopped = await ask<Wave>('DELETE', pathOf(of, wave.id));
      assert.deepEqual([stopped.status, stopped.body.state], [200, 'stopped']);
      assertError(await ask('DELETE', pathOf(of, wave.id)), 409, 'conflict');
      assertError(await change(of, wave.id, { paused: false }), 409, 'conflict');
      assert.deepEqual((await read(of, wave.id)).upcoming, []);
      const { body: audit } = await ask<{ records: { action: string }[] }>(
        'GET',
        `/audit?object=wave:${wave.id}`,
        { role: 'admin' },
      );
      assert.deepEqual(audit.records.map(({ action }) => action).reverse(), [
        ...['wave.created', 'wave.updated', 'wave.paused', 'wave.resumed', 'wave.stopped'],
      ]);
    });

    it('names what is wrong with a plan', async () => {
      const of = await service.waitlist();
      const refused = async (body: object, message: RegExp) => {
        const answer = await create<{ message: string }>(of, { name: 'Wrong', ...body });
        assertError(answer, 400, 'invalid_request');
        assert.match(answer.body.message, message);
      };
      await refused({}, /^schedule: is required without keepOpen$/);
      await refused({ name: ' ', keepOpen: 1 }, /^name: must be 1 to 100 characters on one line$/);
      await refused({ keepOpen: 0 }, /^keepOpen: must be a whole number from 1/);
      await refused(
        { keepOpen: 5, count: 1, schedule: WEEKDAYS },
        /schedule: cannot be combined with keepOpen/,
      );
      await refused({ schedule: { ...WEEKDAYS, timeZone: 'Mars' } }, /^schedule.timeZone: /);
      await refused({ schedule: { ...WEEKDAYS, days: [] } }, /^schedule.days: /);
      await refused({ schedule: { ...WEEKDAYS, days: ['caturday'] } }, /schedule\.days/);
      const past = { ...WEEKDAYS, repeat: 'once', days: undefined, date: '2020-01-01' };
      await refused({ schedule: past }, /^schedule.date: must be in the future$/);
      const never = { timeZone: 'America/New_York', time: '19:00', repeat: 'once', date: '9999-12-31' };
      await refused({ schedule: never }, /^schedule.date: must be before the year 10000 in UTC$/);
      await refused({ keepOpen: 5, segment: {} }, /^segment: needs at least one condition$/);
      const quota = (percent: number) => ({ percent, segment: { where: { plan: 'pro' } } });
      await refused({ keepOpen: 5, quotas: [quota(60), quota(50)] }, /^quotas: add up to more than 100 %$/);
      await refused({ keepOpen: 5, quotas: [quota(0)] }, /^quotas\[0\].percent: /);
      await refused(
        { keepOpen: 5, quotas: [{ percent: 5, segment: { referrer: 'x' } }] },
        /^quotas\[0\].segment.referrer: /,
      );
      await refused({ keepOpen: 5, segment: quota(5).segment, quotas: [quota(5)] }, /^quotas: cannot be/);
      await refused({ keepOpen: 5, failurePercent: 101 }, /^failurePercent: must be 0 to 100$/);
      await refused({ keepOpen: 5, typo: 1 }, /typo/);
      await ask('POST', `/waitlists/${of.id}/segments`, {
        body: { name: 'Joined', conditions: { status: 'joined' } },
      });
      await refused({ keepOpen: 5, segment: { saved: 'Joined' } }, /only waiting people can be invited/);
      assertError(await create(of, { name: 'x', keepOpen: 5, segment: { saved: 'None' } }), 404, 'not_found');
      assert.deepEqual((await ask<{ waves: Wave[] }>('GET', pathOf(of))).body.waves, []);
      const { body: wave } = await create(of, { name: 'Right', keepOpen: 5 });
      assertError(await change(of, wave.id, {}), 400, 'invalid_request');
      assertError(await change(of, wave.id, { count: 5 }), 400, 'invalid_request');
      assertError(await ask('GET', `${pathOf(of)}?cursor=x`), 400, 'invalid_request');
      for (const id of ['wav_06gxx2p9r1yn1vp1ryss481fhw', 'x'])
        for (const method of ['GET', 'PATCH', 'DELETE'])
          assertError(
            await ask(method, pathOf(of, id), method === 'PATCH' ? { body: { paused: true } } : {}),
            404,
            'not_found',
          );
    });

    it('that are damaged are listed as such, and can be renamed, paused and stopped, but not resumed or changed', async () => {
      const of = await service.waitlist();
      const names = ['First', 'Second', 'Third'];
      const ids: string[] = [];
      for (const name of names) ids.push((await create(of, { name, schedule: WEEKDAYS })).body.id);
      const [first, second] = ids as [string, string];
      await service.context.db.query
        .updateTable('wave')
        .set({ plan: Buffer.from('damaged') })
        .where(
          'id',
          'in',
          [first, second].map((id) => parseId('wav', id) as Buffer),
        )
        .execute();
      const { body } = await ask<{ waves: Wave[] }>('GET', pathOf(of));
      const shown = body.waves.map(({ name, damaged, schedule }) => [name, damaged, schedule !== null]);
      assert.deepEqual(shown.toSorted(), [
        ['First', true, false],
        ['Second', true, false],
        ['Third', false, true],
      ]);
      const path = `${pathOf(of)}/${first}`;
      const details = await ask<Wave & { upcoming: unknown[]; runs: unknown[] }>('GET', path);
      assert.deepEqual(
        [
          details.status,
          details.body.damaged,
          details.body.count,
          details.body.quotas,
          details.body.upcoming,
        ],
        [200, true, null, [], []],
      );
      const paused = await ask<Wave>('PATCH', path, { body: { name: 'Broken', paused: true } });
      assert.deepEqual(
        [paused.body.name, paused.body.state, paused.body.damaged],
        ['Broken', 'paused', true],
      );
      assertError(await ask('PATCH', path, { body: { paused: false } }), 409, 'damaged');
      assertError(await ask('PATCH', path, { body: { count: 5 } }), 409, 'damaged');
      assert.equal((await ask<Wave>('DELETE', path)).body.state, 'stopped');
    });

    it('are limited in number, until some are over', async () => {
      const of = await service.waitlist();
      const { id } = (await create(of, { name: 'First', schedule: WEEKDAYS })).body;
      const { db } = service.context;
      const { id: queueId } = await of.queue();
      const row = await db.query
        .selectFrom('wave')
        .selectAll()
        .where('queue_id', '=', queueId)
        .executeTakeFirstOrThrow();
      const others = Array.from({ length: OPEN_WAVES_MAX - 1 }, (_, n) => ({
        ...{ ...row, id: Buffer.alloc(16, n + 1), state: 'paused' as const },
      }));
      await db.transaction(async (trx) => trx.insert('wave', others));
      assertError(await create(of, { name: 'One too many', schedule: WEEKDAYS }), 409, 'conflict');
      await ask('DELETE', pathOf(of, id));
      assert.equal((await create(of, { name: 'Fits', schedule: WEEKDAYS })).status, 201);
    });

    it('say what they will do, once enough invites are old enough', async () => {
      const of = await service.waitlist();
      const queue = await of.queue();
      await fillQueue(service.context, queue, 100);
      const plan = { name: 'Mornings', count: 25, schedule: WEEKDAYS, untilJoined: 60, dryRun: true };
      const unknown = await create<Forecast>(of, plan);
      assert.equal(unknown.status, 200, unknown.text);
      assert.deepEqual(
        unknown.body.upcoming
          .slice(0, 4)
          .map(({ at, invites, expectedJoins }) => [at, invites, expectedJoins]),
        [
          ['2026-11-16T08:00:00.000Z', 25, null],
          ['2026-11-17T08:00:00.000Z', 25, null],
          ['2026-11-18T08:00:00.000Z', 10, null],
          ['2026-11-19T08:00:00.000Z', 0, null],
        ],
      );
      await startInviteRun(service.context, queue, { first: 40 }, undefined);
      const { body } = await ask<{ invites: { code: string }[] }>('GET', `/waitlists/${of.id}/invites`);
      for (const { code } of body.invites.slice(0, 20)) await service.accept(code);
      const before = service.clock.now;
      service.clock.advance(8 * DAY_MS);
      const { body: known } = await create<Forecast>(of, { ...plan, untilJoined: null });
      assert.equal(known.openInvites, 20);
      service.clock.now = before;
      assert.deepEqual([known.acceptRate?.likely, known.acceptRate?.sample], [0.5, 40]);
      assert.deepEqual(known.upcoming[0]?.expectedJoins, { low: 8, likely: 13, high: 17 });
      assert.deepEqual((await ask<{ waves: Wave[] }>('GET', pathOf(of))).body.waves, []);
    });

    it('show what each run did, and hide metadata from viewers', async () => {
      const of = await service.waitlist();
      await of.signup(...[1, 2, 3].map((n) => ({ email: crowdEmail(n), metadata: { plan: 'pro' } })));
      const quotas = [{ percent: 50, segment: { where: { plan: 'pro' }, minReferrals: 0 } }];
      const { body: wave } = await create(of, { name: 'Trickle', keepOpen: 2, quotas });
      assert.deepEqual(wave.quotas, [{ percent: 50, segment: { where: ['plan=pro'], minReferrals: 0 } }]);
      await keepUp(service.context);
      const { body } = await ask<{ invites: { code: string }[] }>('GET', `/waitlists/${of.id}/invites`);
      await service.accept(body.invites[0]?.code ?? '');
      const details = await read(of, wave.id);
      const [first, ...rest] = details.runs ?? [];
      assert.deepEqual(
        [first?.outcome, first?.invited, first?.accepted, first?.revoked, rest.length],
        ['done', 2, 1, 0, 0],
      );
      assert.deepEqual([details.invited, details.joined, details.openInvites], [2, 1, 1]);
      assert.deepEqual((await read(of, wave.id, 'viewer')).quotas, [
        { percent: 50, segment: { minReferrals: 0 } },
      ]);
      const rows = await service.context.db.query.selectFrom('wave').selectAll().execute();
      assert.ok(rows.every(({ plan }) => !Buffer.from(plan).includes('pro')));
    });

    it('that paused themselves are a problem of the installation, until an operator acts', async () => {
      const of = await service.waitlist();
      const { body: wave } = await create(of, { name: 'Trickle', keepOpen: 2 });
      const problems = async () =>
        (await checkInstallation(service.context, service.config)).filter(({ what }) => what === 'wave');
      await change(of, wave.id, { paused: true });
      assert.deepEqual(await problems(), []);
      await service.context.db.query
        .updateTable('wave')
        .set({ pause_reason: 'too many failures' })
        .where('queue_id', '=', (await of.queue()).id)
        .execute();
      const [problem] = await problems();
      assert.equal(problem?.ok, false);
      assert.match(problem?.detail ?? '', /^"Trickle" of wl_\w+ paused itself: too many failures$/);
      // Its own page: alerts tell one wave from another by it.
      assert.equal(problem?.link, `/waitlists/${of.id}/waves/${wave.id}`);
      await change(of, wave.id, { paused: false });
      assert.deepEqual(await problems(), []);
    });
  });

  describe('wave', () => {
    it('create, list, pause, resume and stop', async () => {
      const of = await service.waitlist();
      const at = ['--waitlist', of.id];
      const weekdays = ['--on', 'weekdays', '--time', '09:00', '--time-zone', 'Europe/Berlin'];
      const created = await run<Wave>('wave', 'create', 'Mornings', ...at, ...weekdays, '--count', '5');
      assert.deepEqual([created.state, created.count, created.schedule], ['scheduled', 5, WEEKDAYS]);
      const quotas = ['--quota', '70:plan=pro', '--quota', '10:plan=free'];
      const open = await run<Wave>('wave', 'create', 'Trickle', ...at, '--keep-open', '3', ...quotas);
      assert.deepEqual(
        open.quotas.map(({ percent, segment }) => [percent, segment.where]),
        [
          [70, ['plan=pro']],
          [10, ['plan=free']],
        ],
      );
      const day = await run<Wave>('wave', 'create', 'Day', ...at, '--on', '2099-12-01', '--time', '09:00');
      assert.equal(day.nextRunAt, '2099-12-01T09:00:00.000Z');
      const monthly = ['--on', '31', '--time', '09:00', '--dry-run'];
      const forecast = await run<Forecast>('wave', 'create', 'Month', ...at, ...monthly);
      assert.equal(forecast.upcoming.length, 10);
      const shown = await run<Wave & Forecast>('wave', 'show', created.id, ...at);
      assert.deepEqual([shown.name, shown.upcoming.length], ['Mornings', 10]);
      const monday = ['--on', 'monday', '--time', '10:00', '--count', 'none', '--where', 'plan=pro'];
      const changed = await run<Wave>('wave', 'update', created.id, ...at, '--name', 'Mondays', ...monday);
      assert.deepEqual([changed.name, changed.count, changed.schedule?.days], ['Mondays', null, ['monday']]);
      assert.deepEqual(changed.segment?.where, ['plan=pro']);
      assert.equal((await run<Wave>('wave', 'update', created.id, ...at, '--name', 'Mornings')).count, null);
      assert.equal((await run<Wave>('wave', 'pause', created.id, ...at)).state, 'paused');
      assert.equal((await run<Wave>('wave', 'resume', created.id, ...at)).state, 'scheduled');
      assert.equal((await run<Wave>('wave', 'stop', created.id, ...at)).state, 'stopped');
      assert.deepEqual(
        (await run<Wave[]>('wave', 'list', ...at)).map(({ name, state }) => [name, state]).sort(),
        [
          ['Day', 'scheduled'],
          ['Mornings', 'stopped'],
          ['Trickle', 'scheduled'],
        ],
      );
      const refused = async (words: string[], code: number, message: RegExp) => {
        const told = await command<{ message: string }>(storage.environment, 'wave', ...words, ...at);
        assert.equal(told.code, code, told.error);
        assert.match(told.error, message);
      };
      await refused(['create', 'x'], 2, /use either --on or --keep-open/);
      await refused(['create', 'x', '--on', 'caturday', '--time', '09:00'], 2, /--on: must be/);
      await refused(['create', 'x', '--on', 'daily', '--time', '9'], 1, /--time: must be a time of day/);
      await refused(['create', 'x', '--keep-open', '3', '--quota', 'pro'], 2, /--quota: must be/);
      await refused(['update', open.id], 1, /has nothing to change/);
      await refused(['update', open.id, '--time', '09:00'], 2, /use --time and --time-zone with --on/);
      await refused(['stop', created.id], 1, /already stopped/);
      await refused(['pause', 'wav_x'], 1, /there is no wave wav_x/);
    });
  });
});
