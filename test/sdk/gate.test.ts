import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { removeEntry } from '../../src/waitlist/invites/removal.ts';
import { gateKeys } from '../../src/waitlist/keys/hook-keys.ts';
import { newSecret } from '../../src/waitlist/keys/server-key-format.ts';
import { updateWaitlist } from '../../src/waitlist/settings/update-waitlist.ts';
import { assertError, eventually, forEachEngine, type Service, startService } from '../support/harness.ts';
import { listen } from '../support/recorded-events.ts';

interface Answer {
  allow: boolean;
  entryId?: string;
  reason?: string;
  message?: string;
}

forEachEngine((engine) => {
  let service: Service;
  before(async () => {
    service = await startService(engine);
  });
  after(() => service.close());

  const ask = (gate: string, body: unknown, headers: Record<string, string> = {}) =>
    service.request<Answer>('POST', gate, { body, headers });
  const reasonFor = async (gate: string, body: unknown) => {
    const { status, body: answer, text } = await ask(gate, body);
    assert.equal(status, 200, text);
    assert.deepEqual(Object.keys(answer), ['allow', 'reason', 'message'], text);
    assert.match(answer.message ?? '', /^[A-Z].*\.$/);
    return answer.reason;
  };

  describe('POST /gate/v1/{gateKey}', () => {
    it('lets an invited person in once, and redeems the invite', async () => {
      const list = await service.waitlist();
      const gate = await list.gate();
      await list.signup({ email: 'a@example.com' }, { email: 'b@example.com' });
      const { code } = await list.invite('A@Example.com');
      const { status, body, headers } = await ask(gate, { email: ' a@EXAMPLE.com ' });
      const entry = (await list.lookup('a@example.com')).body;
      assert.deepEqual([status, body], [200, { allow: true, entryId: entry.id }]);
      assert.equal(headers.get('cache-control'), 'no-store');
      assert.equal(entry.status, 'joined');
      assertError(await service.accept(code), 409, 'accepted');
      assert.equal(await reasonFor(gate, { email: 'a@example.com' }), 'already_used');
      assert.equal(await reasonFor(gate, { email: 'a@example.com', code }), 'already_used');
      assert.equal(await reasonFor(gate, { email: 'b@example.com' }), 'not_invited');
      assert.equal((await list.lookup('b@example.com')).body.position, 1);
    });

    it('lets in somebody who is not on the list, and adds nobody', async () => {
      const list = await service.waitlist();
      const { code } = await list.invite('guest@example.com');
      const { body } = await ask(await list.gate(), { email: 'guest@example.com', code });
      assert.deepEqual(body, { allow: true });
      assert.equal((await list.page()).body.total, 0);
    });

    it('takes a code only for the invited email, and leaves it open otherwise', async () => {
      const list = await service.waitlist();
      const gate = await list.gate();
      const { code } = await list.invite('a@example.com');
      await list.invite('b@example.com');
      for (const email of ['b@example.com', 'nobody@example.com'])
        assert.equal(await reasonFor(gate, { email, code }), 'not_invited');
      assert.equal((await service.check(code)).body.valid, true);
      assert.equal((await ask(gate, { email: 'a@example.com', code })).body.allow, true);
    });

    it("says of somebody else's code only that this person was not invited, whatever became of it", async () => {
      const list = await service.waitlist();
      const gate = await list.gate();
      const [open, used, revoked, expired] = await Promise.all(
        ['open', 'used', 'out', 'old'].map((name) =>
          list.invite(`${name}@example.com`, {
            expiresAt: service.clock.now + (name === 'old' ? 1 : 60_000),
          }),
        ),
      );
      service.clock.advance(1);
      await ask(gate, { email: 'used@example.com', code: used?.code });
      await service.revoke(revoked?.code ?? '');
      const reasons = () =>
        Promise.all(
          [open, used, revoked, expired].map((invite) =>
            reasonFor(gate, { email: 'eve@example.com', code: invite?.code }),
          ),
        );
      assert.deepEqual(await reasons(), Array(4).fill('not_invited'));
      await updateWaitlist(service.context, list.id, { closed: true });
      assert.deepEqual(await reasons(), Array(4).fill('closed'));
    });

    it('does not know the invites of other waitlists and environments', async () => {
      const [list, other] = [await service.waitlist(), await service.waitlist()];
      const gate = await list.gate();
      const codes = [
        await other.invite('a@example.com'),
        await list.invite('a@example.com', { environment: 'development' }),
      ].map(({ code }) => code);
      assert.equal(await reasonFor(gate, { email: 'a@example.com' }), 'not_invited');
      for (const code of [...codes, 'x', 'x'.repeat(200)])
        assert.equal(await reasonFor(gate, { email: 'a@example.com', code }), 'not_invited');
      for (const code of codes) assert.equal((await service.check(code)).body.valid, true);
    });

    it('says why an invite does not count any more', async () => {
      const list = await service.waitlist();
      const gate = await list.gate();
      const expired = await list.invite('old@example.com', { expiresAt: service.clock.now + 1_000 });
      service.clock.advance(1_000);
      assert.equal(await reasonFor(gate, { email: 'old@example.com' }), 'expired');
      assert.equal(await reasonFor(gate, { email: 'old@example.com', code: expired.code }), 'expired');
      const revoked = await list.invite('out@example.com');
      await service.revoke(revoked.code);
      assert.equal(await reasonFor(gate, { email: 'out@example.com' }), 'revoked');
      assert.equal(await reasonFor(gate, { email: 'out@example.com', code: revoked.code }), 'revoked');
    });

    it('redeems the open one of several invites', async () => {
      const list = await service.waitlist();
      const gate = await list.gate();
      const email = 'a@example.com';
      await service.revoke((await list.invite(email)).code);
      service.clock.advance(1);
      const open = await list.invite(email);
      service.clock.advance(1);
      await service.revoke((await list.invite(email)).code);
      assert.equal((await ask(gate, { email })).body.allow, true);
      assertError(await service.accept(open.code), 409, 'accepted');
      assert.equal(await reasonFor(gate, { email }), 'revoked'); // What the newest one says.
    });

    it('turns away somebody who was taken off the list', async () => {
      const list = await service.waitlist();
      const gate = await list.gate();
      await list.signup({ email: 'a@example.com' });
      await list.invite('a@example.com');
      const { id } = (await list.lookup('a@example.com')).body;
      await removeEntry(service.context, await list.queue(), id);
      assert.equal(await reasonFor(gate, { email: 'a@example.com' }), 'revoked');
    });

    it('still lets invited people in when the waitlist is closed, and tells others', async () => {
      const list = await service.waitlist();
      const gate = await list.gate();
      await list.invite('a@example.com');
      await updateWaitlist(service.context, list.id, { closed: true });
      assert.equal(await reasonFor(gate, { email: 'b@example.com' }), 'closed');
      assert.equal((await ask(gate, { email: 'a@example.com' })).body.allow, true);
      assert.equal(await reasonFor(gate, { email: 'a@example.com' }), 'already_used');
    });

    it('answers a retry with the same Idempotency-Key as before, and only that', async () => {
      const list = await service.waitlist();
      const gate = await list.gate();
      await list.signup({ email: 'a@example.com' });
      const { code } = await list.invite('a@example.com');
      const once = { 'idempotency-key': 'once' };
      const first = await ask(gate, { email: 'a@example.com' }, once);
      assert.equal(first.body.allow, true);
      for (const body of [{ email: 'A@example.com' }, { email: 'a@example.com', code }])
        assert.deepEqual((await ask(gate, body, once)).body, first.body);
      const later = await list.invite('a@example.com');
      assert.deepEqual((await ask(gate, { email: 'a@example.com' }, once)).body, first.body);
      assert.equal((await service.check(later.code)).body.valid, true);
      assert.equal((await ask(gate, { email: 'b@example.com', code }, once)).body.reason, 'not_invited');
      assert.equal((await service.accept(code, { headers: once })).status, 200);
      const long = { 'idempotency-key': 'x'.repeat(256) };
      assertError(
        await ask(gate, { email: 'a@example.com' }, long),
        400,
        'invalid_request',
        /^Idempotency-Key/,
      );
    });

    it('records what an accept records', async () => {
      const list = await service.waitlist();
      await list.signup({ email: 'a@example.com' });
      await list.invite('a@example.com');
      const recorded = await listen(service.context, await list.queue());
      const gate = await list.gate();
      for (let i = 0; i < 2; i += 1) await ask(gate, { email: 'a@example.com' });
      const events = (await recorded()).map(({ event, data }) => [event, data.entry?.status]);
      assert.deepEqual(events, [['invite.accepted', 'joined']]);
    });

    it('answers 401 to every wrong key, and knows a deleted one no more', async () => {
      const list = await service.waitlist();
      const queue = await list.queue();
      await list.invite('a@example.com');
      const gate = await list.gate();
      const deleted = await list.gate();
      assert.equal(await reasonFor(deleted, { email: 'b@example.com' }), 'not_invited');
      const all = await gateKeys.list(service.context, queue);
      await gateKeys.remove(service.context, queue, all.find(({ hint }) => deleted.endsWith(hint))?.id ?? '');
      await eventually(
        () => ask(deleted, { email: 'a@example.com' }),
        ({ status }) => status === 401,
      );
      const swapped = gate.slice(0, -1) + (gate.endsWith('0') ? '1' : '0');
      const wrong = [
        deleted,
        `/gate/v1/${newSecret(`dlg_${queue.tag}`)}`,
        '/gate/v1/x',
        `/gate/v1/${list.key}`,
        swapped,
      ];
      for (const path of wrong)
        assertError(await ask(path, { email: 'a@example.com' }), 401, 'unauthorized', /gate key/);
      assert.equal((await ask(gate, { email: 'a@example.com' })).body.allow, true);
      const key = gate.split('/').at(-1) ?? '';
      const entries = `/sdk/v1/waitlist/${list.id}/entries`;
      assertError(await service.request('GET', entries, { key }), 401, 'unauthorized');
    });

    it('refuses what it does not understand, by field, and redeems nothing', async () => {
      const list = await service.waitlist();
      const gate = await list.gate();
      const { code } = await list.invite('a@example.com');
      const email = 'a@example.com';
      const refused: [unknown, string | RegExp][] = [
        [{}, 'email: is required'],
        [{ code }, 'email: is required'],
        [{ email: 7 }, 'email: must be a string'],
        [{ email: 'nobody' }, 'email: not an email address'],
        [{ email, code: '' }, 'code: is empty'],
        [{ email, code: 'x'.repeat(201) }, /^code: is longer/],
        [{ email, code: null }, 'code: must be a string'],
        [{ email, inviteCode: code }, 'inviteCode: unknown field'],
        [[], 'body: must be an object'],
      ];
      for (const [body, message] of refused)
        assertError(await ask(gate, body), 400, 'invalid_request', message);
      for (const shape of ['plain', 'toString', ''])
        assertError(
          await ask(`${gate}?shape=${shape}`, { email }),
          400,
          'invalid_request',
          /^shape: must be/,
        );
      assertError(await service.request('GET', gate), 405, 'method_not_allowed');
      assertError(await service.request('POST', gate, { rawBody: '{}' }), 415, 'unsupported_media_type');
      const large = { email, code: ' '.repeat(64 * 1024) };
      assertError(await ask(gate, large), 413, 'payload_too_large');
      assert.equal((await service.check(code)).body.valid, true);
      assert.equal((await ask(gate, { email })).headers.get('access-control-allow-origin'), null);
    });
  });
});
