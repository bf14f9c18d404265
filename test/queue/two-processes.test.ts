import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { sql } from 'kysely';
import { updateMailSettings } from '../../src/mail/update-settings.ts';
import { updateWaitlist } from '../../src/waitlist/settings/update-waitlist.ts';
import { recountQueue } from '../../src/waitlist/upkeep/recount-queue.ts';
import { afterTest } from '../support/cleanup.ts';
import { assertError, forEachEngine, type List, type Service, startService } from '../support/harness.ts';
import { createStorage } from '../support/storage.ts';
import { endpointFor } from '../support/webhooks.ts';

const person = (name: string) => ({ email: `${name}@example.com` });

forEachEngine('concurrency', (engine) => {
  describe('a process that signs people up, while another one changes the queue', () => {
    let service: Service;
    let other: Service;
    /** The same waitlist in each of them. */
    let here: List;
    let there: List;

    beforeEach(async () => {
      const storage = await createStorage(engine, { migrated: true });
      service = await startService(engine, { storage });
      other = await startService(engine, { storage });
      there = await other.waitlist();
      here = service.existing(there);
      afterTest(async () => {
        await service.close();
        await other.close();
        await storage.remove();
      });
      for (const name of ['ada', 'bob', 'cyd']) await here.signup(person(name));
    });

    const isSound = async () =>
      assert.deepEqual((await recountQueue(other.context, await there.queue(), false)).findings, []);
    const positionOf = async (name: string) => (await there.lookup(person(name).email)).body.position;

    it('continues after those whom the other one added, and skips them', async () => {
      await there.signup(person('dan'), { phone: '+14155550123' });
      const { status, body } = await here.signup(person('dan'), person('eve'));
      assert.deepEqual([status, body.created, body.skipped], [201, 1, 1]);
      assert.equal((await here.signup({ phone: '+14155550123' })).status, 200);
      assert.equal((await here.signup(person('ada'))).status, 200);
      await here.signup(person('fay'));
      assert.deepEqual(await Promise.all(['dan', 'eve', 'fay'].map(positionOf)), [4, 6, 7]);
      await isSound();
    });

    it('adds nobody twice and leaves no gap, when both add the same people at once', async () => {
      const people = Array.from({ length: 60 }, (_, n) => person(`p${n}`));
      const lists = [here, there];
      const answers = await Promise.all(
        people.flatMap((one) => lists.map((list) => list.signup(one, person(`${one.email.length}`)))),
      );
      assert.ok(answers.every(({ status }) => status === 201 || status === 200));
      const created = answers.reduce((sum, { body }) => sum + body.created, 0);
      assert.equal(created, 62);
      const positions = (await there.walk({ sort: 'position' })).map(({ position }) => position);
      assert.deepEqual(
        positions,
        Array.from({ length: 65 }, (_, n) => n + 1),
      );
      await isSound();
    });

    it('credits referrers and follows the settings', async () => {
      await here.signup({ ...person('dan'), referredBy: person('bob').email });
      assert.deepEqual(
        [await positionOf('bob'), (await there.lookup(person('bob').email)).body.referrals],
        [1, 1],
      );
      await updateWaitlist(other.context, there.id, { confirmEmails: true });
      await here.signup(person('eve'));
      assert.equal((await there.lookup(person('eve').email)).body.status, 'pending');
      await updateWaitlist(other.context, there.id, { confirmEmails: false, closed: true });
      for (const name of ['fay', 'gus']) assertError(await here.signup(person(name)), 409, 'waitlist_closed');
      await updateWaitlist(other.context, there.id, { closed: false });
      await there.invite(person('cyd').email);
      for (const name of ['fay', 'gus']) assert.equal((await here.signup(person(name))).status, 201);
      assert.equal((await there.lookup(person('gus').email)).body.status, 'waiting');
      await isSound();
    });

    it('mails people at once, also after others who have no email', async (test) => {
      await updateMailSettings(other.context, there.id, { kinds: ['welcome'] });
      for (const phone of ['+14155550123', '+14155550124']) await here.signup({ phone });
      const wakeUps = test.mock.method(service.context.wakeUps, 'send');
      for (const name of ['dan', 'eve']) await here.signup(person(name));
      assert.equal(wakeUps.mock.callCount(), 2);
    });

    it('tells an endpoint that was added in the meantime', async () => {
      await endpointFor(other.context, await there.queue(), 'http://127.0.0.1:9/hook');
      for (const name of ['dan', 'eve']) await here.signup(person(name));
      const { rows } = await sql<{ count: number }>`select count(*) as count from event`.execute(
        other.context.db.query,
      );
      assert.equal(rows[0]?.count, 2);
    });
  });
});
