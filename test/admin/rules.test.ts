import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { domainToASCII } from 'node:url';
import { updateWaitlist } from '../../src/waitlist/settings/update-waitlist.ts';
import { recountQueue } from '../../src/waitlist/upkeep/recount-queue.ts';
import type { PresentedEntry } from '../../src/wire/entry.ts';
import { type AskInRoles, askInRoles, auditOf, succeeded } from '../support/admin.ts';
import { openForm } from '../support/forms.ts';
import { assertError, forEachEngine, type List, type Service, startService } from '../support/harness.ts';
import { listen } from '../support/recorded-events.ts';
import { jsonOf } from '../support/terminal.ts';

interface Rule {
  id: string;
  when: object;
  then: string;
}

forEachEngine('locks', (engine) => {
  describe('rules', () => {
    let service: Service;
    let ask: AskInRoles;
    before(async () => {
      service = await startService(engine);
      ask = await askInRoles(service, 'admin');
    });
    after(() => service.close());

    const body = (when: object, then: string, more: object = {}) => ({ when, then, ...more });
    const make = async (list: List, when: object, outcome: string) => {
      service.clock.advance(1); // The first that was made decides.
      return succeeded(
        await ask<Rule>('POST', `/waitlists/${list.id}/rules`, { body: body(when, outcome) }),
        201,
      );
    };
    const statuses = async (list: List) =>
      (await list.walk()).map(({ email, phone, status }) => `${email ?? phone} ${status}`);
    const healthy = async (list: List) =>
      assert.deepEqual((await recountQueue(service.context, await list.queue(), false)).findings, []);

    it('approve, advance and decline in the transaction of the signup', async () => {
      const list = await service.waitlist();
      await list.signup({ email: 'first@example.com' }, { email: 'second@example.com' });
      await make(list, { domain: 'ACME.com ' }, 'approve');
      await make(list, { domain: '*.edu' }, 'advance');
      await make(list, { where: ['plan=free'] }, 'decline');
      const told = await listen(service.context, await list.queue());
      await list.signup(
        { email: 'a@acme.com' },
        { email: 'b@uni.edu' },
        { email: 'c@edu' },
        { email: 'd@example.com', metadata: { plan: 'free' } },
        { email: 'e@sub.acme.com' },
        { phone: '+14155550123' },
      );
      assert.deepEqual(await statuses(list), [
        ...[
          'first@example.com waiting',
          'second@example.com waiting',
          'a@acme.com invited',
          'b@uni.edu waiting',
        ],
        ...['c@edu waiting', 'd@example.com declined', 'e@sub.acme.com waiting', '+14155550123 waiting'],
      ]);
      assert.equal((await list.lookup('b@uni.edu')).body.position, 1);
      assert.equal((await list.lookup('first@example.com')).body.position, 2);
      await healthy(list);
      const events = (await told()).map(({ event }) => event).sort();
      assert.deepEqual(events, [
        ...['entry.approved', 'entry.declined', 'invite.sent'],
        ...Array.from({ length: 6 }, () => 'signup.created'),
      ]);
      const { id } = (await list.lookup('d@example.com')).body;
      const history = await ask<{ events: { kind: string; by: string | null }[] }>(
        'GET',
        `/waitlists/${list.id}/entries/${id}/history`,
      );
      assert.match(history.body.events.at(-1)?.by ?? '', /^rule:rul_/);
    });

    it('are about referrers, metadata and domains together, and the first that fits decides', async () => {
      const list = await service.waitlist();
      await list.signup({ email: 'ada@example.com' });
      const { referralCode, id } = (await list.lookup('ada@example.com')).body;
      const { when } = await make(list, { referrer: referralCode, where: ['seats=3'] }, 'decline');
      assert.deepEqual(when, { where: ['seats=3'], referrer: id });
      await make(list, { domain: 'example.com' }, 'approve');
      const signup = { metadata: { seats: 3 }, referredBy: 'ada@example.com' };
      await list.signup(
        { email: 'b@example.com', ...signup },
        { email: 'c@example.com', metadata: { seats: 3 } },
      );
      assert.deepEqual((await statuses(list)).slice(1), ['b@example.com declined', 'c@example.com invited']);
      assert.equal((await list.lookup('ada@example.com')).body.referrals, 2 - 1);
      await healthy(list);
    });

    it('are about the code that people join with, as long as it has places', async () => {
      const list = await service.waitlist();
      const codes = `/waitlists/${list.id}/codes`;
      const create = async (code: object) =>
        succeeded(await ask<{ id: string }>('POST', codes, { body: { limit: 2, ...code } }), 201);
      const name = `AHEAD-${list.id.slice(-8)}`;
      const { id } = await create({ code: name, does: 'advance', places: 5, tag: 'podcast' });
      const { id: admitting } = await create({});
      const { when } = await make(list, { code: name.toLowerCase(), domain: 'acme.com' }, 'approve');
      assert.deepEqual(when, { domain: 'acme.com', code: id });
      await make(list, { where: ['tag=podcast'] }, 'decline');
      await list.signup(
        { email: 'a@acme.com', code: name },
        { email: 'b@acme.com' },
        { email: 'c@example.com', code: name },
        { email: 'd@acme.com', code: name },
      );
      assert.deepEqual((await statuses(list)).sort(), [
        ...['a@acme.com invited', 'b@acme.com waiting', 'c@example.com declined', 'd@acme.com waiting'],
      ]);
      await healthy(list);
      for (const code of ['NOBODY-HAS-THIS', admitting])
        assertError(
          await ask('POST', `/waitlists/${list.id}/rules`, { body: body({ code }, 'approve') }),
          400,
          'invalid_request',
          /^when\.code: /,
        );
    });

    it('about a code are tried on those who joined with it', async () => {
      const list = await service.waitlist();
      const name = `TRIED-${list.id.slice(-8)}`;
      const code = { code: name, does: 'advance', places: 1, limit: 9 };
      succeeded(await ask('POST', `/waitlists/${list.id}/codes`, { body: code }), 201);
      await list.signup({ email: 'a@acme.com', code: name }, { email: 'b@acme.com' });
      const tried = await ask<{ count: number; looked: number }>('POST', `/waitlists/${list.id}/rules`, {
        body: body({ code: name }, 'advance', { dryRun: true }),
      });
      assert.deepEqual([tried.body.count, tried.body.looked], [1, 2]);
    });

    it('hold for people who must confirm, for the form, and for internationalized domains', async () => {
      const list = await service.waitlist();
      await make(list, { domain: 'grüße.example' }, 'decline');
      await make(list, { domain: 'acme.com' }, 'advance');
      await updateWaitlist(service.context, list.id, { confirmEmails: true });
      const ascii = domainToASCII('grüße.example');
      const form = await openForm(service, {}, list);
      const [known, other] = [
        await form.join({ email: `a@${ascii}` }),
        await form.join({ email: 'b@x.example' }),
      ];
      assert.deepEqual([known.status, known.body.state], [other.status, other.body.state]);
      await form.join({ email: 'c@acme.com' });
      assert.deepEqual(await statuses(list), [
        ...[`a@${ascii} declined`, 'b@x.example pending', 'c@acme.com pending'],
      ]);
      await healthy(list);
    });

    it('are tried without making one, listed and deleted', async () => {
      const list = await service.waitlist();
      await list.signup({ email: 'a@acme.com' }, { email: 'b@x.example' }, { email: 'c@acme.com' });
      const path = `/waitlists/${list.id}/rules`;
      const dry = succeeded(
        await ask<{ count: number; looked: number; more: boolean; preview: PresentedEntry[] }>('POST', path, {
          body: body({ domain: 'acme.com' }, 'approve', { dryRun: true }),
        }),
      );
      assert.deepEqual([dry.count, dry.looked, dry.more], [2, 3, false]);
      assert.deepEqual(
        dry.preview.map(({ email }) => email),
        ['a@acme.com', 'c@acme.com'],
      );
      const listed = async () => succeeded(await ask<{ rules: Rule[] }>('GET', path)).rules;
      assert.deepEqual(await listed(), []);
      const rule = await make(list, { domain: 'acme.com' }, 'decline');
      assert.deepEqual(await listed(), [rule]);
      assert.deepEqual(await statuses(list), [
        'a@acme.com waiting',
        'b@x.example waiting',
        'c@acme.com waiting',
      ]);
      succeeded(await ask('DELETE', `${path}/${rule.id}`));
      await list.signup({ email: 'd@acme.com' });
      assert.equal((await list.lookup('d@acme.com')).body.status, 'waiting');
      assertError(await ask('DELETE', `${path}/${rule.id}`), 404, 'not_found');
      const actions = (await auditOf(service, `waitlist:${list.id}`)).map(({ action }) => action);
      assert.deepEqual(
        actions.filter((action) => action.startsWith('rule.')),
        ['rule.created', 'rule.deleted'],
      );
      for (const when of [{}, { domain: 'not a domain' }, { domain: '*.' }, { referrer: 'nobody@x.example' }])
        assertError(await ask('POST', path, { body: body(when, 'decline') }), 400, 'invalid_request');
      assertError(
        await ask('POST', path, { role: 'support', body: body({ domain: 'a.com' }, 'decline') }),
        403,
        'forbidden',
      );
      const on = ['--waitlist', list.id];
      const environment = service.storage.environment;
      const made = await jsonOf<Rule>(
        environment,
        'rule',
        'create',
        ...on,
        '--domain',
        '*.gov',
        '--then',
        'advance',
      );
      assert.deepEqual(
        (await jsonOf<Rule[]>(environment, 'rule', 'list', ...on)).map(({ id }) => id),
        [made.id],
      );
      assert.equal((await jsonOf<Rule>(environment, 'rule', 'delete', made.id, ...on)).id, made.id);
    });
  });
});
