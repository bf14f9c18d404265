import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { sql } from 'kysely';
import { changeQueue } from '../../src/waitlist/queue/change-queue.ts';
import { updateWaitlist } from '../../src/waitlist/settings/update-waitlist.ts';
import { createWaitlist } from '../../src/waitlist/settings/waitlists.ts';
import { countValues } from '../../src/waitlist/statistics/count-values.ts';
import { recountQueue } from '../../src/waitlist/upkeep/recount-queue.ts';
import { afterTest } from '../support/cleanup.ts';
import { forEachEngine, type List, type Service, startService } from '../support/harness.ts';
import { runCommand } from '../support/process.ts';
import { createStorage, type Storage } from '../support/storage.ts';
import { command, typed } from '../support/terminal.ts';

interface Diagnosis {
  healthy: boolean;
  findings: { what: string; ok: boolean; detail: string }[];
}

forEachEngine((engine) => {
  let storage: Storage;
  let service: Service;
  before(async () => {
    storage = await createStorage(engine, { migrated: true });
    service = await startService(engine, { storage, startAt: Date.now() }); // Commands go by the real time.
  });
  after(async () => {
    await service.close();
    await storage.remove();
  });

  const filled = async (): Promise<List> => {
    const list = await service.waitlist();
    await updateWaitlist(service.context, list.id, { metadataKeys: ['plan'] });
    await list.signup(
      ...Array.from({ length: 80 }, (_, n) => ({
        email: `p${n}@example.com`,
        metadata: { plan: 'pro' },
        ...(n % 4 === 3 ? { referredBy: `p${n - 3}@example.com` } : {}),
      })),
    );
    await list.invite('p5@example.com');
    await countValues(service.context, await list.queue());
    return list;
  };
  const doctor = async (...words: string[]) => {
    const { code, json } = await command<Diagnosis>(storage.environment, 'doctor', ...words);
    return { code, ...json };
  };
  const harm = async (list: List, change: ReturnType<typeof sql>) => {
    const { id } = await list.queue();
    await sql`${change} ${sql.raw(`= ${id}`)}`.execute(service.context.db.query);
  };

  const harms: [string, ReturnType<typeof sql>, RegExp][] = [
    [
      'a counter of a status',
      sql`update queue_state set waiting = waiting + 3 where queue_id`,
      /waiting: the counter says 82, there are 79/,
    ],
    [
      'two counters at once',
      sql`update queue_state set invited = 0, joined = 1 where queue_id`,
      /invited: .*; joined: /,
    ],
    [
      'a counter of ranks',
      sql`update rank_count set waiting = waiting + 1 where level = 0 and queue_id`,
      /positions: \d+ counters/,
    ],
    [
      'lost counters of ranks',
      sql`delete from rank_count where level = 1 and queue_id`,
      /positions: \d+ counters/,
    ],
    [
      'a rank',
      sql`update entry set rank = rank - 9 where seq = 7 and queue_id`,
      /positions: .*ranks: 1 entries/,
    ],
    [
      'a count of referrals',
      sql`update entry set referrals = 4 where seq = 1 and queue_id`,
      /referrals: 1 entries/,
    ],
    ['a credit', sql`update entry set credited = 0 where seq = 4 and queue_id`, /referrals: 1 entries/],
    ['a status', sql`update entry set status = 'joined' where seq = 9 and queue_id`, /waiting: .*joined: /],
    [
      'statistics',
      sql`update queue_stat set signups = signups - 1, removed = 1 where queue_id`,
      /statistics: 2 counters are off/,
    ],
    [
      'a histogram',
      sql`update queue_histogram set count = count + 1 where kind = 'depth' and queue_id`,
      /statistics: 1 counters are off/,
    ],
    [
      'a referral depth',
      sql`update entry set depth = 3 where seq = 4 and queue_id`,
      /referral depths: 1 entries/,
    ],
    [
      'counts of metadata values',
      sql`update metadata_count set signups = signups + 1 where queue_id`,
      /metadata values: 1 counts of a day are off/,
    ],
    [
      'the joining sequence',
      sql`update queue_state set last_seq = 60 where queue_id`,
      /joining sequence: it stands at 60, the last entry has 80/,
    ],
  ];
  for (const [what, change, told] of harms) {
    it(`doctor finds wrong ${what}, and --repair corrects it`, async () => {
      const list = await filled();
      await harm(list, change);
      const sick = await doctor('--queue', list.id);
      assert.deepEqual([sick.code, sick.healthy], [1, false]);
      const wrong = sick.findings.filter(({ ok }) => !ok);
      assert.deepEqual(
        wrong.map(({ what }) => what),
        [`${list.id} in production`],
      );
      assert.match(wrong[0]?.detail ?? '', told);
      const mended = await doctor('--queue', list.id, '--repair');
      assert.deepEqual([mended.code, mended.healthy], [0, true]);
      assert.match(
        mended.findings.find(({ what }) => what.includes('production'))?.detail ?? '',
        /^repaired: /,
      );
      const positions = (await list.walk({ sort: 'position' })).map(({ position }) => position);
      assert.deepEqual(
        positions,
        Array.from(positions, (_, index) => index + 1),
      );
      assert.equal((await list.signup({ email: 'new@example.com' })).status, 201);
      assert.equal((await doctor('--queue', list.id)).code, 0);
    });
  }

  it('doctor reports deleted entries as not repaired', async () => {
    const list = await filled();
    await harm(list, sql`delete from entry where seq = 50 and queue_id`);
    const mended = await doctor('--queue', list.id, '--repair');
    assert.equal(mended.code, 1);
    assert.match(JSON.stringify(mended.findings), /1 entries are missing/);
    assert.equal(
      (await list.page({ status: 'waiting' })).body.total,
      78,
      'the counters are right all the same',
    );
  });

  it('doctor neither waits for a queue lock nor takes one', async () => {
    const list = await filled();
    const { context } = service;
    const queue = await list.queue();
    await changeQueue(context, queue, async () => {
      const { findings, entries } = await recountQueue(context, queue, false);
      assert.deepEqual([findings, entries], [[], 80]);
    });
    await context.db.snapshot(async (trx) => {
      await trx.selectFrom('entry').select('seq').where('queue_id', '=', queue.id).execute();
      assert.equal((await list.signup({ email: 'meanwhile@example.com' })).status, 201);
      const seen = trx.selectFrom('queue_state').select('last_seq').where('queue_id', '=', queue.id);
      assert.equal((await seen.executeTakeFirst())?.last_seq, 80);
    });
  });

  it('doctor reports an unknown waitlist', async () => {
    const { code, findings } = await doctor('--queue', 'wl_nowhere');
    assert.equal(code, 1);
    assert.match(JSON.stringify(findings), /wl_nowhere in production.*has no queue/);
  });

  it('doctor checks every waitlist and prints text when run as a process', async () => {
    const fresh = await createStorage(engine);
    afterTest(fresh.remove);
    const other = await startService(engine, { storage: fresh });
    afterTest(other.close);
    await createWaitlist(other.context, { id: 'wl_one', name: 'One' });
    await createWaitlist(other.context, { id: 'wl_two', name: 'Two' });
    await other.context.db.query.updateTable('queue_state').set({ waiting: 1 }).execute();
    const sick = await runCommand(fresh.environment, 'doctor');
    assert.equal(sick.code, 1);
    assert.match(sick.stdout, /WRONG +wl_two in development: waiting: the counter says 1, there are 0/);
    assert.equal((await typed(fresh.environment, 'doctor', '--repair')).code, 0);
    const { code, out } = await typed(fresh.environment, 'doctor');
    assert.equal(code, 0, out);
    for (const id of ['wl_one', 'wl_two'])
      assert.match(out, new RegExp(`ok +${id} in production: 0 entries`));
  });
});
