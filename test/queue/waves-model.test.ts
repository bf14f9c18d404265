import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { formatId } from '../../src/lib/ids.ts';
import { listInvites } from '../../src/waitlist/invites/browse-invites.ts';
import { recountQueue } from '../../src/waitlist/upkeep/recount-queue.ts';
import { keepUp } from '../../src/waitlist/upkeep/upkeep.ts';
import { createWave } from '../../src/waitlist/waves/change-waves.ts';
import { listRuns, readWave } from '../../src/waitlist/waves/waves.ts';
import { crowdEmail, fillQueue } from '../support/crowd.ts';
import { forEachEngine, type Service, startService } from '../support/harness.ts';
import { seededRandom } from '../support/random.ts';
import { seedFor } from '../support/seed.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Two days before clocks in Berlin show 02:30 twice. */
const START = Date.UTC(2026, 9, 23, 9);
const UNTIL_JOINED = 40;
const STEPS = 25;
const RUNS_AT_MOST = 40;

forEachEngine((engine) => {
  let service: Service;
  before(async () => {
    service = await startService(engine, { startAt: START });
  });
  after(() => service.close());

  it('a wave does what its model does, whatever else happens to the queue', async (test) => {
    const random = seededRandom(seedFor(test, import.meta.filename));
    const below = (limit: number) => Math.floor(random() * limit);
    const { context, clock } = service;
    const list = await service.waitlist();
    const queue = await list.queue();
    await fillQueue(context, queue, 200, (n) => ({
      ...{ email: crowdEmail(n), metadata: { plan: n % 10 < 7 ? 'pro' : 'free' } },
    }));
    const { id } = await createWave(context, queue, {
      ...{ name: 'Nights', count: 6, untilJoined: UNTIL_JOINED },
      schedule: { timeZone: 'Europe/Berlin', time: '02:30', repeat: 'daily' },
      quotas: [{ percent: 70, segment: { pairs: [{ key: 'plan', value: 'pro' }] } }],
    });
    const times = timesInBerlin();
    const runs: [number, string][] = [];
    const all = () => listInvites(context, queue, { limit: 1_000 });
    let [manual, isDone] = [0, false];
    const byHand = () => {
      manual += 1;
      return list.invite(`manual${manual}@example.com`);
    };

    for (let step = 0; step < STEPS && runs.length < RUNS_AT_MOST; step += 1) {
      const live = (await all()).filter(({ state }) => state === 'live');
      for (const { id: invite, code } of live) {
        const fate = random();
        if (fate < 0.1) await service.accept(code ?? '');
        else if (fate < 0.2) await service.revoke(formatId('inv', invite));
      }
      if (random() < 0.3) await byHand();
      clock.advance(below(60) * HOUR_MS);
      const before = await readWave(context, queue, id);
      await Promise.all([keepUp(context), keepUp(context), ...(random() < 0.3 ? [byHand()] : [])]);
      const wave = await readWave(context, queue, id);
      const due = times.splice(
        0,
        times.findIndex((time) => time > clock.now),
      );
      isDone ||= before.joined >= UNTIL_JOINED;
      if (!isDone)
        runs.push(...due.map((time, n): [number, string] => [time, n < due.length - 1 ? 'skipped' : 'done']));
      assert.equal(wave.state, isDone ? 'done' : 'scheduled');
      const found = (await listRuns(context, queue, id)).reverse();
      assert.deepEqual(
        found.map(({ scheduledAt, outcome }) => [scheduledAt, outcome]),
        runs,
        `after step ${step}`,
      );
      // One invite may have come by hand at the same time, after the wave.
      if (wave.invited > before.invited) assert.ok(wave.joined + wave.openInvites <= UNTIL_JOINED + 1);
      const byWave = (await all())
        .map(({ email }) => email ?? '')
        .filter((email) => email.startsWith('crowd'));
      assert.equal(new Set(byWave).size, byWave.length, 'nobody twice');
      assert.equal(byWave.length, wave.invited);
      assert.equal(
        found.reduce((sum, { invited }) => sum + invited, 0),
        wave.invited,
      );
      const pro = byWave.filter((email) => Number(/\d+/.exec(email)) % 10 < 7).length;
      assert.ok(Math.abs(pro - 0.7 * byWave.length) < 1, `${pro} of ${byWave.length}`);
    }
    assert.deepEqual((await recountQueue(context, queue, false)).findings, []);
  });
});

/** The minutes at which clocks in Berlin first show 02:30 on a day, found by looking at each quarter of an hour. */
function timesInBerlin(): number[] {
  const format = new Intl.DateTimeFormat('sv-SE', {
    ...{ timeZone: 'Europe/Berlin', dateStyle: 'short', timeStyle: 'short' },
  });
  const seen = new Set<string>();
  const times: number[] = [];
  for (let time = START; time < START + 100 * 24 * HOUR_MS; time += 15 * MINUTE_MS) {
    const shown = format.format(time);
    if (shown.endsWith('02:30') && !seen.has(shown)) times.push(time);
    seen.add(shown);
  }
  return times;
}
