import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { mailableTo } from '../../src/mail/mailable.ts';
import { eraseEntry } from '../../src/waitlist/entries/erase-entry.ts';
import { newSecret } from '../../src/waitlist/keys/server-key-format.ts';
import { suppressionsOf, unsuppress } from '../../src/waitlist/links/suppression.ts';
import { mailEventKeys } from '../../src/waitlist/mail-events/mail-event-keys.ts';
import { assertError, forEachEngine, type List, type Service, startService } from '../support/harness.ts';
import { listen } from '../support/recorded-events.ts';

const DAY_MS = 86_400_000;

forEachEngine((engine) => {
  describe('POST /mail-events/v1/{key}', () => {
    let service: Service;
    let list: List;
    let hook: string;
    before(async () => {
      service = await startService(engine);
      list = await service.waitlist();
      hook = await list.mailEvents();
    });
    after(() => service.close());

    const report = (body: unknown, path = hook) =>
      service.request<{ accepted: number }>('POST', path, { body });
    const taken = async (...events: object[]) => {
      const { status, body, text } = await report({ events });
      assert.equal(status, 200, text);
      return body.accepted;
    };
    const reasons = async (email: string) =>
      (await suppressionsOf(service.context, await list.queue(), email)).map(({ reason }) => reason);
    const rowsOf = async (table: 'mail_suppression' | 'mail_soft_bounce') => {
      const { id } = await list.queue();
      const rows = service.context.db.query.selectFrom(table).select('email_hash').where('queue_id', '=', id);
      return (await rows.execute()).length;
    };

    it('suppresses an address that bounced, once, in any spelling', async () => {
      await list.signup({ email: 'hard@example.com' }, { email: 'said@example.com' });
      const bounce = { type: 'bounce', email: ' HARD@Example.com ', detail: '550 5.1.1 no such user' };
      assert.equal(await taken(bounce, bounce, { ...bounce, email: 'said@example.com', permanent: true }), 3);
      const [before] = await suppressionsOf(service.context, await list.queue(), 'hard@example.com');
      service.clock.advance(1_000);
      assert.equal(await taken(bounce), 1);
      assert.deepEqual(await suppressionsOf(service.context, await list.queue(), 'hard@example.com'), [
        before,
      ]);
      assert.deepEqual([before?.reason, await reasons('said@example.com')], ['bounced', ['bounced']]);
      const queue = await list.queue();
      for (const kind of ['confirm', 'welcome'] as const)
        assert.equal(
          (await mailableTo(service.context, queue, kind, 'hard@example.com', true)).reason,
          'bounced',
        );
    });

    it('sends an event for each person whom a report changes, once', async () => {
      const own = await service.waitlist();
      const path = await own.mailEvents();
      const heard = await listen(service.context, await own.queue());
      await own.signup(
        { email: 'hard@example.com' },
        { email: 'angry@example.com' },
        { email: 'soft@example.com' },
      );
      await own.invite('guest@example.com');
      await heard();
      const events = [
        { type: 'bounce', email: 'hard@example.com' },
        { type: 'complaint', email: 'angry@example.com' },
        { type: 'bounce', email: 'soft@example.com', permanent: false },
        { type: 'bounce', email: 'guest@example.com' },
        { type: 'bounce', email: 'unknown@example.com' },
      ];
      for (let i = 0; i < 2; i += 1) assert.equal((await report({ events }, path)).status, 200);
      assert.deepEqual((await heard()).map(({ event, data }) => [event, data.entry?.email]).toSorted(), [
        ['mail.bounced', 'hard@example.com'],
        ['mail.complained', 'angry@example.com'],
      ]);
    });

    it('unsubscribes who complained, and says so', async () => {
      await list.invite('angry@example.com'); // Not on the list.
      assert.equal(await taken({ type: 'complaint', email: 'angry@example.com' }), 1);
      assert.deepEqual(await reasons('angry@example.com'), ['complained']);
      const queue = await list.queue();
      const reasonFor = async (kind: 'invite' | 'welcome') =>
        (await mailableTo(service.context, queue, kind, 'angry@example.com', true)).reason;
      assert.deepEqual([await reasonFor('invite'), await reasonFor('welcome')], [null, 'complained']);
    });

    it('suppresses after soft bounces on three days of fourteen, and counts a day once', async () => {
      await list.signup({ email: 'full@example.com' }, { email: 'slow@example.com' });
      const soft = { type: 'bounce', email: 'full@example.com', permanent: false };
      const slow = { ...soft, email: 'slow@example.com' };
      assert.equal(await taken(soft, soft, slow), 3);
      assert.equal(await taken(soft), 1);
      service.clock.advance(DAY_MS);
      await taken(soft, slow);
      assert.deepEqual(await reasons('full@example.com'), []);
      service.clock.advance(DAY_MS);
      await taken(soft);
      assert.deepEqual(await reasons('full@example.com'), ['bounced']);
      service.clock.advance(12 * DAY_MS); // The first of two is fourteen days old.
      await taken(slow);
      assert.deepEqual(await reasons('slow@example.com'), []);
      await unsuppress(service.context, await list.queue(), 'full@example.com');
      await taken(soft);
      assert.deepEqual(await reasons('full@example.com'), [], 'lifting starts the count again');
    });

    it('answers the same for unknown addresses, and stores nothing about them', async () => {
      const before = [await rowsOf('mail_suppression'), await rowsOf('mail_soft_bounce')];
      const events = [
        { type: 'bounce', email: 'stranger@example.com' },
        { type: 'complaint', email: 'stranger@example.com' },
        { type: 'bounce', email: 'other@example.com', permanent: false },
      ];
      assert.equal(await taken(...events), 3);
      assert.deepEqual([await rowsOf('mail_suppression'), await rowsOf('mail_soft_bounce')], before);
      assert.equal(await taken({ type: 'bounce', email: 'not an address' }), 0);
      assert.equal(await taken(), 0);
    });

    it('is forgotten with the person', async () => {
      const before = [await rowsOf('mail_suppression'), await rowsOf('mail_soft_bounce')];
      await list.signup({ email: 'gone@example.com' });
      const { id } = (await list.lookup('gone@example.com')).body;
      const bounce = { type: 'bounce', email: 'gone@example.com' };
      await taken(bounce, { ...bounce, permanent: false });
      await eraseEntry(service.context, await list.queue(), id);
      assert.deepEqual([await rowsOf('mail_suppression'), await rowsOf('mail_soft_bounce')], before);
    });

    it('is about one waitlist and environment', async () => {
      const other = await service.waitlist();
      await other.signup({ email: 'both@example.com' });
      await list.signup({ email: 'both@example.com' });
      await taken({ type: 'bounce', email: 'both@example.com' });
      assert.deepEqual(await suppressionsOf(service.context, await other.queue(), 'both@example.com'), []);
    });

    it('takes up to 1,000 events, also the same at the same time', async () => {
      await list.signup({ email: 'twin@example.com' });
      const events = Array.from({ length: 999 }, (_, i) => ({ type: 'bounce', email: `p${i}@example.com` }));
      const all = { events: [...events, { type: 'bounce', email: 'twin@example.com' }] };
      const answers = await Promise.all([report(all), report(all)]);
      assert.deepEqual(
        answers.map(({ body }) => body),
        [{ accepted: 1_000 }, { accepted: 1_000 }],
      );
      assert.deepEqual(await reasons('twin@example.com'), ['bounced']);
      const many = { events: [...all.events, { type: 'bounce', email: 'one@example.com' }] };
      assertError(await report(many), 400, 'invalid_request', /^events: /);
    });

    it('refuses what it does not understand, by the name of the field, and changes nothing', async () => {
      await list.signup({ email: 'safe@example.com' });
      const event = { type: 'bounce', email: 'safe@example.com' };
      const refused: [unknown, RegExp][] = [
        [{}, /^events: is required/],
        [[], /^body: /],
        [{ events: [event, { email: 'safe@example.com' }] }, /^events\[1\]\.type: /],
        [{ events: [event, { type: 'bounce' }] }, /^events\[1\]\.email: /],
        [{ events: [{ ...event, type: 'open' }] }, /^events\[0\]\.type: /],
        [{ events: [{ ...event, permanent: 'yes' }] }, /^events\[0\]\.permanent: /],
        [{ events: [{ ...event, reason: 'x' }] }, /^events\[0\]\.reason: /],
      ];
      for (const [body, message] of refused) assertError(await report(body), 400, 'invalid_request', message);
      assertError(
        await report({ events: [event] }, `${hook}?shape=pigeon`),
        400,
        'invalid_request',
        /^shape: /,
      );
      const text = {
        rawBody: JSON.stringify({ events: [event] }),
        headers: { 'content-type': 'text/plain' },
      };
      assertError(await service.request('POST', hook, text), 415, 'unsupported_media_type');
      const large = { rawBody: ' '.repeat(1024 * 1024 + 1), headers: { 'content-type': 'application/json' } };
      assertError(await service.request('POST', hook, large), 413, 'payload_too_large');
      assert.deepEqual(await reasons('safe@example.com'), []);
    });

    it('answers 401 to every wrong key', async () => {
      const queue = await list.queue();
      const deleted = await list.mailEvents();
      const [newest] = (await mailEventKeys.list(service.context, queue)).toReversed();
      await mailEventKeys.remove(service.context, queue, newest?.id ?? '');
      const gate = await list.gate();
      const wrong = [
        deleted,
        '/mail-events/v1/x',
        `/mail-events/v1/${newSecret(`dle_${queue.tag}`)}`,
        gate.replace('/gate/', '/mail-events/'),
        `/mail-events/v1/${list.key}`,
      ];
      for (const path of wrong)
        assertError(await report({ events: [] }, path), 401, 'unauthorized', /mail event key/);
      const crossed = hook.replace('/mail-events/', '/gate/');
      assertError(await report({ email: 'a@example.com' }, crossed), 401, 'unauthorized', /gate key/);
      const secured = await list.mailEvents({ provider: 'mailgun', secret: 'key-1234' });
      assertError(await report({ events: [] }, secured), 401, 'unauthorized', /signature is wrong/);
    });
  });
});
