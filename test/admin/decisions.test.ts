import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { eraseEntry } from '../../src/waitlist/entries/erase-entry.ts';
import { signLink } from '../../src/waitlist/links/links.ts';
import { updateWaitlist } from '../../src/waitlist/settings/update-waitlist.ts';
import { downloadOwnData, exportPerson } from '../../src/waitlist/transfer/export/export-person.ts';
import { importFile } from '../../src/waitlist/transfer/import/import-start.ts';
import { recountQueue } from '../../src/waitlist/upkeep/recount-queue.ts';
import type { PresentedEntry } from '../../src/wire/entry.ts';
import { presentOwnData, presentPerson } from '../../src/wire/export.ts';
import { type AskInRoles, adminClient, askInRoles, auditOf, succeeded } from '../support/admin.ts';
import { openForm } from '../support/forms.ts';
import { assertError, forEachEngine, type List, type Service, startService } from '../support/harness.ts';
import { listen } from '../support/recorded-events.ts';
import { jsonOf, typed } from '../support/terminal.ts';

const ADA = 'ada@example.com';
const NOTE = 'Too Unforgettable for us.';

type Verb = 'approve' | 'decline' | 'reconsider';

forEachEngine('locks', (engine) => {
  describe('a decision about a person', () => {
    let service: Service;
    let ask: AskInRoles;
    before(async () => {
      service = await startService(engine);
      ask = await askInRoles(service, 'admin');
    });
    after(() => service.close());

    const decide = async (list: List, email: string, verb: Verb, body: object = {}, role = 'support') => {
      const { id } = (await list.lookup(email)).body;
      return ask<PresentedEntry>('POST', `/waitlists/${list.id}/entries/${id}/${verb}`, { role, body });
    };
    const three = async (changes: object = { boost: 5 }) => {
      const list = await service.waitlist();
      await updateWaitlist(service.context, list.id, changes);
      await list.signup({ email: ADA }, { email: 'bea@example.com' }, { email: 'cy@example.com' });
      return list;
    };
    const order = async (list: List) =>
      (await list.walk({ sort: 'position' })).map(({ email }) => email?.split('@')[0]);
    const healthy = async (list: List) =>
      assert.deepEqual((await recountQueue(service.context, await list.queue(), false)).findings, []);

    it('declines: kept without a position, until it is taken back', async () => {
      const list = await three();
      const told = await listen(service.context, await list.queue());
      const declined = succeeded(await decide(list, ADA, 'decline', { note: NOTE }));
      assert.deepEqual([declined.status, declined.position, declined.email], ['declined', null, ADA]);
      assert.deepEqual(await order(list), ['bea', 'cy']);
      assert.equal((await list.page({ status: 'declined' })).body.total, 1);
      const counts = (await ask<{ counts: object }>('GET', `/waitlists/${list.id}`)).body.counts;
      assert.deepEqual(counts, { pending: 0, waiting: 2, invited: 0, joined: 0, removed: 0, declined: 1 });
      await healthy(list);
      service.clock.advance(1_000);
      const back = succeeded(await decide(list, ADA, 'reconsider'));
      assert.deepEqual([back.status, back.position], ['waiting', 1]);
      await healthy(list);
      assert.deepEqual((await told()).map(({ event, data }) => [event, data.entry?.status]).sort(), [
        ['entry.declined', 'declined'],
        ['entry.restored', 'waiting'],
      ]);
      const history = await ask<{ events: { kind: string; note: string | null; by: string | null }[] }>(
        'GET',
        `/waitlists/${list.id}/entries/${declined.id}/history`,
      );
      assert.deepEqual(
        history.body.events.map(({ kind, note }) => [kind, note]),
        [
          ['signup.created', null],
          ['entry.declined', NOTE],
          ['entry.reconsidered', null],
        ],
      );
      assert.equal(history.body.events[1]?.by, 'support');
      const records = await auditOf(service, `entry:${declined.id}`);
      assert.deepEqual(
        records.map(({ action }) => action),
        ['entry.declined', 'entry.reconsidered'],
      );
      const stored = await service.context.db.query.selectFrom('entry_decision').select('note').execute();
      for (const { note } of stored) assert.ok(!Buffer.from(note ?? []).includes('Unforgettable'));
    });

    it('approves, which invites: whoever waits, is pending or was declined', async () => {
      const list = await three({ confirmEmails: true });
      await updateWaitlist(service.context, list.id, { confirmEmails: false });
      await list.signup({ email: 'dan@example.com', referredBy: ADA }, { phone: '+14155550123' });
      const told = await listen(service.context, await list.queue());
      assert.equal(succeeded(await decide(list, ADA, 'approve')).status, 'invited');
      succeeded(await decide(list, 'dan@example.com', 'decline'));
      assert.equal(succeeded(await decide(list, 'dan@example.com', 'approve')).status, 'invited');
      const events = (await told()).map(({ event }) => event).sort();
      assert.deepEqual(events, [
        ...['entry.approved', 'entry.approved', 'entry.declined'],
        ...['invite.sent', 'invite.sent'],
      ]);
      await healthy(list);
      assertError(await decide(list, '+14155550123', 'approve'), 409, 'conflict');
      assertError(await decide(list, ADA, 'approve'), 409, 'conflict');
      assertError(await decide(list, ADA, 'reconsider'), 409, 'conflict');
    });

    it('ends the invites of who is declined, and refuses new ones', async () => {
      for (const returnToQueue of [true, false]) {
        const list = await three({ returnToQueue });
        const { code } = await list.invite(ADA);
        succeeded(await decide(list, ADA, 'decline'));
        assertError(await service.accept(code), 410, 'revoked');
        await assert.rejects(list.invite(ADA), { code: 'conflict' });
        const back = succeeded(await decide(list, ADA, 'reconsider'));
        assert.equal(back.status, returnToQueue ? 'waiting' : 'invited');
        await healthy(list);
      }
    });

    it('is not told to anybody: signing up, the gate, the form and the status page are as before', async () => {
      const list = await three();
      const gate = await list.gate();
      const { code } = await list.invite('cy@example.com');
      for (const email of [ADA, 'cy@example.com']) succeeded(await decide(list, email, 'decline'));
      assert.deepEqual((await list.signup({ email: ADA })).body, { success: true, created: 0, skipped: 1 });
      for (const body of [{ email: ADA }, { email: 'cy@example.com' }, { email: 'cy@example.com', code }]) {
        const { body: answer } = await service.request<{ allow: boolean; reason: string }>('POST', gate, {
          body,
        });
        assert.deepEqual([answer.allow, answer.reason], [false, 'not_invited']);
      }
      const { id } = (await list.lookup(ADA)).body;
      const page = `/s/${signLink(await list.queue(), 'status', { id, at: Date.now() })}`;
      const shown = await service.request<{ status: string; position: number }>('GET', page, {
        headers: { accept: 'application/json' },
      });
      assert.deepEqual([shown.body.status, shown.body.position], ['waiting', 1]);
      const form = await openForm(service, {}, list);
      const [known, fresh] = [await form.join({ email: ADA }), await form.join({ email: 'new@example.com' })];
      assert.deepEqual(Object.keys(known.body), Object.keys(fresh.body));
      assert.equal(known.body.state, fresh.body.state);
    });

    it('keeps the credits of who referred them, and counts a confirmation that comes later', async () => {
      const list = await service.waitlist();
      await list.signup({ email: 'eve@example.com' });
      await updateWaitlist(service.context, list.id, { confirmEmails: true });
      await list.signup({ email: ADA, referredBy: 'eve@example.com' });
      succeeded(await decide(list, ADA, 'decline'));
      const referrals = async () => (await list.lookup('eve@example.com')).body.referrals;
      assert.equal(await referrals(), 0);
      const { id } = (await list.lookup(ADA)).body;
      const link = `/confirm/${signLink(await list.queue(), 'confirm', { id, at: service.clock.now })}`;
      await service.request('POST', link, { headers: { accept: 'text/html' } });
      assert.equal(await referrals(), 1);
      assert.equal((await list.lookup(ADA)).body.status, 'declined');
      await healthy(list);
      assert.equal(succeeded(await decide(list, ADA, 'reconsider')).status, 'waiting');
      succeeded(await decide(list, ADA, 'decline'));
      assert.equal(await referrals(), 1);
      await healthy(list);
    });

    it('is forgotten with the person, and part of what is exported about them', async () => {
      const list = await three();
      const queue = await list.queue();
      succeeded(await decide(list, ADA, 'decline', { note: NOTE }));
      const { decisions } = presentPerson(await exportPerson(service.context, queue, ADA));
      assert.deepEqual(
        decisions.map(({ decision, note }) => [decision, note]),
        [['declined', NOTE]],
      );
      const { id } = (await list.lookup(ADA)).body;
      const own = presentOwnData(await downloadOwnData(service.context, queue, id));
      assert.deepEqual([own.entry?.status, own.entry?.position], ['waiting', 1]);
      assert.doesNotMatch(JSON.stringify(own), /declined|Unforgettable/);
      await eraseEntry(service.context, queue, ADA);
      const left = await service.context.db.query
        .selectFrom('entry_decision')
        .select('seq')
        .where('queue_id', '=', queue.id)
        .execute();
      assert.deepEqual(left, []);
      await healthy(list);
    });

    it('is support’s unless the owner says otherwise, and nobody’s who only looks', async () => {
      const list = await three();
      const owner = await adminClient(service);
      assertError(await decide(list, ADA, 'decline', {}, 'viewer'), 403, 'forbidden');
      succeeded(await owner.patch('/instance/roles', { support: { decline: false } }));
      try {
        assertError(await decide(list, ADA, 'decline'), 403, 'forbidden');
        succeeded(await decide(list, ADA, 'decline', {}, 'admin'));
      } finally {
        await owner.patch('/instance/roles', { support: { decline: true } });
      }
    });

    it('is about many, as a job with one record', async () => {
      const list = await service.waitlist();
      const people = Array.from({ length: 90 }, (_, n) => ({
        email: `p${n}@example.com`,
        metadata: { plan: n % 3 === 0 ? 'free' : 'pro' },
      }));
      await list.signup(...people);
      const at = `/waitlists/${list.id}/decisions`;
      const body = { decision: 'decline', segment: { where: { plan: 'free' } }, note: NOTE };
      const preview = succeeded(
        await ask<{ count: number; preview: object[] }>('POST', at, { body: { ...body, dryRun: true } }),
      );
      assert.deepEqual([preview.count, preview.preview.length], [30, 10]);
      assertError(await ask('POST', at, { body: { ...body, expect: 29 } }), 409, 'changed');
      const job = succeeded(
        await ask<{ id: string }>('POST', at, { role: 'support', body: { ...body, expect: 30 } }),
        202,
      );
      await service.runJobs();
      const done = await ask<{ state: string; result: object }>('GET', `/jobs/${job.id}`);
      assert.deepEqual([done.body.state, done.body.result], ['done', { decided: 30, unreadable: 0 }]);
      assert.equal((await list.page({ status: 'declined' })).body.total, 30);
      const records = await auditOf(service, `job:${job.id}`);
      assert.deepEqual(
        records.map(({ action, details }) => [action, details.after]),
        [['decisions.started', { decision: 'declined', entries: 30 }]],
      );
      const declined = (await list.page({ status: 'declined', limit: 3 })).body.entries;
      for (const { id } of declined) assert.deepEqual(await auditOf(service, `entry:${id}`), []);
      const entries = declined.map(({ id }) => id);
      succeeded(await ask('POST', at, { body: { decision: 'approve', entries } }), 202);
      await service.runJobs();
      assert.equal((await list.page({ status: 'invited' })).body.total, 3);
      succeeded(
        await ask('POST', at, { body: { decision: 'reconsider', segment: { where: { plan: 'free' } } } }),
        202,
      );
      await service.runJobs();
      assert.equal((await list.page({ status: 'declined' })).body.total, 0);
      await healthy(list);
      assertError(await ask('POST', at, { body: { decision: 'decline' } }), 400, 'invalid_request');
      assertError(await ask('POST', at, { body: { ...body, status: 'joined' } }), 400, 'invalid_request');
    });

    it('is made by commands, too, and kept by an export that is imported elsewhere', async () => {
      const list = await three();
      const environment = service.storage.environment;
      const on = ['--waitlist', list.id];
      const { status } = await jsonOf<PresentedEntry>(
        environment,
        'entry',
        'decline',
        ADA,
        ...on,
        '--note',
        NOTE,
      );
      assert.equal(status, 'declined');
      const many = ['entry', 'decide', 'decline', ...on, '--min-referrals', '0'];
      assert.equal((await typed(environment, ...many, '--dry-run')).out, '2 people would be declined.');
      assert.equal((await typed(environment, ...many)).out, '2 people declined.');
      assert.equal((await typed(environment, 'entry', 'reconsider', ADA, ...on)).code, 0);
      assert.equal((await typed(environment, 'entry', 'decide', 'wave', ...on)).code, 2);
      const file = path.join(mkdtempSync(path.join(tmpdir(), 'doorlist-decided-')), 'people.csv');
      succeeded(await decide(list, ADA, 'decline'));
      assert.equal((await typed(environment, 'export', '--out', file, ...on)).code, 0);
      const other = await service.waitlist();
      await importFile(service.context, await other.queue(), file, {});
      assert.equal((await other.lookup(ADA)).body.status, 'declined');
      await healthy(other);
      assert.equal((await other.signup({ email: ADA })).body.skipped, 1);
    });
  });
});
