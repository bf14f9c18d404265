import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { eraseEntry } from '../../src/waitlist/entries/erase-entry.ts';
import { removeAsNeverJoined } from '../../src/waitlist/entries/never-joined.ts';
import { updateEntry } from '../../src/waitlist/entries/update-entry.ts';
import { changeQueue } from '../../src/waitlist/queue/change-queue.ts';
import { closePlaces } from '../../src/waitlist/referrals/close-places.ts';
import { rerank } from '../../src/waitlist/referrals/rerank.ts';
import { importFile } from '../../src/waitlist/transfer/import/import-start.ts';
import { runUndo, startUndo } from '../../src/waitlist/transfer/import/undo-import.ts';
import { recountQueue } from '../../src/waitlist/upkeep/recount-queue.ts';
import { keepUp } from '../../src/waitlist/upkeep/upkeep.ts';
import { forEachEngine, type List, type Service, startService } from '../support/harness.ts';

const directory = mkdtempSync(path.join(tmpdir(), 'doorlist-places-'));
after(() => rmSync(directory, { recursive: true, force: true }));

const named = (name: string, from: number, count: number) =>
  Array.from({ length: count }, (_, i) => ({ email: `${name}${from + i}@example.com` }));

forEachEngine((engine) => {
  let service: Service;
  before(async () => {
    service = await startService(engine);
  });
  after(() => service.close());

  const signUp = async (list: List, name: string, from: number, count: number, referredBy?: string) => {
    for (let at = 0; at < count; at += 100)
      await list.signup(
        ...named(name, from + at, Math.min(100, count - at)).map((person) => ({
          ...person,
          ...(referredBy === undefined ? {} : { referredBy }),
        })),
      );
  };
  const importPeople = async (list: List, count: number) => {
    const file = path.join(directory, `${engine}.csv`);
    writeFileSync(file, ['email', ...named('imported', 1, count).map(({ email }) => email)].join('\n'));
    const { jobId } = await importFile(service.context, await list.queue(), file, {});
    return jobId ?? '';
  };
  const undo = async (list: List, id: string) => {
    const queue = await list.queue();
    await runUndo(service.context, queue, await startUndo(service.context, queue, id, 'command-line'));
  };
  const positionOf = async (list: List, email: string) => (await list.lookup(email)).body.position;
  const idOf = async (list: List, email: string) => (await list.lookup(email)).body.id;
  const sound = async (list: List) =>
    assert.deepEqual((await recountQueue(service.context, await list.queue(), false)).findings, []);
  const order = async (list: List) =>
    (await list.page({ sort: 'position', limit: 200 })).body.entries.map(({ email }) => email?.split('@')[0]);
  const move = async (list: List, email: string, position: number) =>
    updateEntry(service.context, await list.queue(), await idOf(list, email), { position });

  describe('a hole that an undone import leaves', () => {
    it('costs whoever joins next nothing', async () => {
      const list = await service.waitlist();
      await signUp(list, 'p', 1, 30);
      await undo(list, await importPeople(list, 40));
      await signUp(list, 'p', 31, 1);
      assert.equal(await positionOf(list, 'p31@example.com'), 31);
      await signUp(list, 'friend', 1, 1, 'p31@example.com');
      assert.equal(await positionOf(list, 'p31@example.com'), 26);
      await sound(list);
    });

    it('is closed behind those who joined later, with their referrals', async () => {
      const list = await service.waitlist();
      await signUp(list, 'p', 1, 30);
      const id = await importPeople(list, 40);
      await signUp(list, 'p', 31, 10);
      await signUp(list, 'friend', 1, 1, 'p33@example.com');
      await undo(list, id);
      assert.equal(await positionOf(list, 'p33@example.com'), 28);
      await signUp(list, 'p', 41, 1);
      assert.equal(await positionOf(list, 'p41@example.com'), 42);
      await signUp(list, 'friend', 2, 2, 'p41@example.com');
      // Past everyone who joined at places 32 to 41, except p33, who is no longer there.
      assert.equal(await positionOf(list, 'p41@example.com'), 33);
      await sound(list);
    });

    it('leaves those who were moved to the end where they are among the others', async () => {
      const list = await service.waitlist();
      await signUp(list, 'p', 1, 5);
      await move(list, 'p2@example.com', 5);
      const id = await importPeople(list, 40);
      await signUp(list, 'p', 6, 1);
      await move(list, 'p1@example.com', 100);
      await move(list, 'p3@example.com', 100);
      await signUp(list, 'p', 7, 2);
      await undo(list, id);
      assert.deepEqual(await order(list), ['p4', 'p5', 'p2', 'p6', 'p1', 'p3', 'p7', 'p8']);
      await signUp(list, 'p', 9, 1);
      assert.equal((await order(list)).at(-1), 'p9');
      await sound(list);
    });
  });

  describe('an entry removed as if it had never joined', () => {
    it('leaves no place, and one that is only erased does', async () => {
      const list = await service.waitlist();
      const queue = await list.queue();
      await signUp(list, 'p', 1, 10);
      await eraseEntry(service.context, queue, 'p3@example.com', { neverJoined: true });
      await eraseEntry(service.context, queue, 'p4@example.com');
      assert.equal(await positionOf(list, 'p10@example.com'), 8);
      await signUp(list, 'friend', 1, 1, 'p10@example.com');
      // Counts as having joined 5 places earlier, at the place of p5: past p6 to p9 and p5 itself.
      assert.deepEqual(await order(list), ['p1', 'p2', 'p10', 'p5', 'p6', 'p7', 'p8', 'p9', 'friend1']);
      assert.equal((await list.page({})).body.total, 10);
      assert.equal((await list.lookup('p3@example.com')).status, 404);
      await sound(list);
    });

    it('makes referrals worth what they say after thousands of bots', async () => {
      const list = await service.waitlist();
      const queue = await list.queue();
      await signUp(list, 'p', 1, 10);
      await signUp(list, 'bot', 1, 60);
      await signUp(list, 'p', 11, 1);
      for (const { email } of named('bot', 1, 60))
        await eraseEntry(service.context, queue, email, { neverJoined: true });
      await signUp(list, 'friend', 1, 1, 'p11@example.com');
      assert.equal(await positionOf(list, 'p11@example.com'), 6);
      await sound(list);
    });

    it('takes its referrals, invites and credits along', async () => {
      const list = await service.waitlist();
      const queue = await list.queue();
      await signUp(list, 'p', 1, 8);
      await signUp(list, 'bot', 1, 1, 'p8@example.com');
      await signUp(list, 'friend', 1, 1, 'bot1@example.com');
      const { code } = await list.invite('bot1@example.com');
      assert.equal(await positionOf(list, 'p8@example.com'), 3);
      await eraseEntry(service.context, queue, 'bot1@example.com', { neverJoined: true });
      assert.equal(await positionOf(list, 'p8@example.com'), 8);
      assert.equal((await list.lookup('friend1@example.com')).body.referredBy, null);
      assert.deepEqual((await service.check(code)).body, { valid: false, reason: 'revoked' });
      await sound(list);
    });

    it('is closed up by upkeep if too many joined later', async () => {
      const list = await service.waitlist();
      const queue = await list.queue();
      await signUp(list, 'p', 1, 2_400);
      await eraseEntry(service.context, queue, 'p10@example.com', { neverJoined: true });
      await signUp(list, 'late', 1, 1);
      assert.equal(await positionOf(list, 'late1@example.com'), 2_400);
      await sound(list);
      await keepUp(service.context);
      await signUp(list, 'friend', 1, 1, 'late1@example.com');
      assert.equal(await positionOf(list, 'late1@example.com'), 2_395);
      await sound(list);
    });
  });

  it('people whom an operator moved follow in steps, however many were moved to one place', async () => {
    const atOnce = 3;
    const rows = async (list: List) =>
      service.context.db.query
        .selectFrom('entry')
        .select(['seq', 'rank', 'closed', 'moved'])
        .where('queue_id', '=', (await list.queue()).id)
        .orderBy('seq')
        .execute();
    const crowd = async () => {
      const list = await service.waitlist();
      await signUp(list, 'p', 1, 14);
      for (const n of [1, 2, 3, 4, 5, 6, 7, 8]) await move(list, `p${n}@example.com`, 14);
      await signUp(list, 'p', 15, 8);
      for (const n of [22, 16, 17, 18, 19]) await move(list, `p${n}@example.com`, 3);
      await move(list, 'p3@example.com', 20);
      const queue = await list.queue();
      await changeQueue(service.context, queue, async (change) => {
        for (const seq of [9, 12, 15])
          await removeAsNeverJoined(service.context, change, { first_seq: seq, last_seq: seq });
      });
      return list;
    };
    const [list, whole] = [await crowd(), await crowd()];
    const before = await order(list);
    const queue = await list.queue();
    let after = 0;
    for (let isLast = false; !isLast; ) {
      const old = await rows(list);
      const step = await changeQueue(service.context, queue, (change) => closePlaces(change, after, atOnce));
      ({ upTo: after, isLast } = step);
      const changed = (await rows(list)).filter((row, at) => JSON.stringify(row) !== JSON.stringify(old[at]));
      // Joined and moved ones, and those at the place of one of them.
      assert.ok(changed.length <= 3 * atOnce, String(changed.length));
      assert.deepEqual(await order(list), before);
      await sound(list);
    }
    await rerank(service.context, await whole.queue());
    assert.deepEqual(await rows(list), await rows(whole));
  });

  describe('whoever was moved to the end', () => {
    it('stays ahead of those who join later', async () => {
      const list = await service.waitlist();
      await signUp(list, 'p', 1, 3);
      await move(list, 'p1@example.com', 3);
      await move(list, 'p2@example.com', 3);
      await signUp(list, 'p', 4, 2);
      assert.deepEqual(await order(list), ['p3', 'p1', 'p2', 'p4', 'p5']);
      await sound(list);
    });

    it('stays behind those who had joined by then and return to the queue', async () => {
      const list = await service.waitlist();
      await signUp(list, 'p', 1, 3);
      const { code } = await list.invite('p3@example.com');
      await move(list, 'p1@example.com', 2);
      await service.revoke(code);
      await signUp(list, 'p', 4, 1);
      assert.deepEqual(await order(list), ['p2', 'p3', 'p1', 'p4']);
      await sound(list);
    });

    it('stays ahead of later ones when referrals are lost', async () => {
      const list = await service.waitlist();
      const queue = await list.queue();
      await signUp(list, 'p', 1, 6);
      await signUp(list, 'friend', 1, 2, 'p6@example.com');
      await move(list, 'p6@example.com', 8);
      await eraseEntry(service.context, queue, 'friend1@example.com');
      await signUp(list, 'p', 7, 1);
      assert.deepEqual((await order(list)).slice(-2), ['p6', 'p7']);
      await sound(list);
    });
  });

  it('people whom an earlier release left behind the end come back to it', async () => {
    const list = await service.waitlist();
    const queue = await list.queue();
    await signUp(list, 'p', 1, 3);
    const { db } = service.context;
    const set = db.query.updateTable('entry').where('queue_id', '=', queue.id);
    await set.set({ rank: 3, moved: 2 }).where('seq', '=', 1).execute();
    await set.set({ rank: 4, moved: 2 }).where('seq', '=', 2).execute();
    const { findings } = await recountQueue(service.context, queue, false);
    assert.deepEqual(findings, ['ranks: 1 entries have another rank than their referrals give']);
    await db.query
      .updateTable('queue_state')
      .set({ rerank_after: 0 })
      .where('queue_id', '=', queue.id)
      .execute();
    await keepUp(service.context);
    await signUp(list, 'p', 4, 1);
    assert.equal((await order(list)).at(-1), 'p4');
    await sound(list);
  });

  describe('doctor', () => {
    it('finds holes from before, and closes them', async () => {
      const list = await service.waitlist();
      const queue = await list.queue();
      await signUp(list, 'p', 1, 20);
      await eraseEntry(service.context, queue, 'p5@example.com', { neverJoined: true });
      const { db } = service.context;
      const inQueue = db.query.updateTable('entry').where('queue_id', '=', queue.id);
      await inQueue.set({ closed: 0 }).where('seq', '>', 5).execute();
      await db.query
        .updateTable('entry')
        .where('queue_id', '=', queue.id)
        .set((e) => ({ rank: e.ref('seq') }))
        .execute();
      await db.query.updateTable('queue_state').set({ closed: 0 }).where('queue_id', '=', queue.id).execute();
      const { findings, repaired } = await recountQueue(service.context, queue, true);
      assert.equal(repaired, true);
      assert.deepEqual(findings.slice(0, 2), [
        'places: 15 entries have another place than those who joined before them give',
        'places: the next place is off by 1',
      ]);
      await sound(list);
      await signUp(list, 'friend', 1, 1, 'p20@example.com');
      assert.equal(await positionOf(list, 'p20@example.com'), 14);
    });

    it('finds and corrects miscounts of places', async () => {
      const list = await service.waitlist();
      const queue = await list.queue();
      await signUp(list, 'p', 1, 12);
      await move(list, 'p1@example.com', 12);
      await signUp(list, 'p', 13, 4);
      const { db } = service.context;
      const entry = (seq: number) =>
        db.query.updateTable('entry').where('queue_id', '=', queue.id).where('seq', '=', seq);
      await entry(4).set({ opened: 7 }).execute();
      await entry(8).set({ closed: 3 }).execute();
      await entry(14).set({ opened: 0 }).execute();
      const before = await order(list);
      assert.equal((await recountQueue(service.context, queue, true)).repaired, true);
      assert.deepEqual(await order(list), before);
      await sound(list);
    });
  });

  it('places are closed up in steps, beside signups, in an order that never changes', async () => {
    const list = await service.waitlist();
    const queue = await list.queue();
    await signUp(list, 'p', 1, 4_300);
    await eraseEntry(service.context, queue, 'p2@example.com', { neverJoined: true });
    const ends: number[] = [];
    let extra = 0;
    const stop = new Error('stopped');
    await assert.rejects(
      rerank(service.context, queue, (upTo) => {
        ends.push(upTo);
        throw stop;
      }),
      stop,
    );
    for (;;) {
      extra += 1;
      await signUp(list, 'late', extra, 1);
      assert.equal(await positionOf(list, `late${extra}@example.com`), 4_299 + extra);
      assert.equal(await positionOf(list, 'p2500@example.com'), 2_499);
      await sound(list);
      const failed = await rerank(service.context, queue, (upTo) => {
        ends.push(upTo);
        throw stop;
      }).catch((error) => error);
      if (failed !== stop) break;
    }
    assert.equal(ends.length, 2);
    await signUp(list, 'friend', 1, 1, 'p4300@example.com');
    assert.equal(await positionOf(list, 'p4300@example.com'), 4_294);
    await sound(list);
  });
});
