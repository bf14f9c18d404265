import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { inviteJob } from '../../src/waitlist/invites/invite-run.ts';
import { runDueJobs } from '../../src/waitlist/jobs/job-runner.ts';
import { keepUp } from '../../src/waitlist/upkeep/upkeep.ts';
import { type AskInRoles, askInRoles, auditOf } from '../support/admin.ts';
import { adminDocumentOf, operationsOf } from '../support/documented.ts';
import { assertError, forEachEngine, type List, type Service, startService } from '../support/harness.ts';
import { adminToken } from '../support/operators.ts';
import { openStream } from '../support/stream.ts';

interface Page {
  entries: { id: string; email: string | null }[];
  total: number | null;
  nextCursor: string | null;
}

forEachEngine((engine) => {
  describe('viewers', () => {
    let service: Service;
    let ask: AskInRoles;
    let of: List;
    before(async () => {
      service = await startService(engine);
      ask = await askInRoles(service, 'viewer');
      of = await service.waitlist();
      await of.signup(
        { email: 'ada@example.com', phone: '+4915112345678', metadata: { plan: 'pro' } },
        { email: 'bob@example.com', referredBy: 'ada@example.com', metadata: { plan: 'pro' } },
        { email: 'cleo@example.com', metadata: { plan: 'free' } },
      );
    });
    after(() => service.close());

    const list = (query: string, role = 'viewer', method = 'GET') =>
      ask<Page>(method, `/waitlists/${of.id}/entries?${query}`, { role });

    it('cannot ask whether somebody is on the waitlist', async () => {
      const { email, phone, referralCode } = (await of.lookup('ada@example.com')).body;
      const guesses = [
        email,
        ` ${email?.toUpperCase()} `,
        phone,
        referralCode,
        'nobody@example.com',
        'x',
        '',
      ];
      for (const guess of guesses) {
        const search = encodeURIComponent(guess ?? '');
        assertError(await list(`search=${search}`), 403, 'forbidden', /^search: .*support role/);
        assertError(await list(`search=${search}&limit=1`), 403, 'forbidden', /^search:/);
        assert.equal((await list(`search=${search}`, 'viewer', 'HEAD')).status, 403);
      }
      assert.equal((await list(`search=${encodeURIComponent(email ?? '')}`, 'support')).body.total, 1);
    });

    it('cannot ask who has a metadata value, with or without other conditions', async () => {
      for (const query of [
        'where=plan=pro',
        'where=plan=pro&where=plan=free',
        'where=plan=none',
        'where=plan=pro&minReferrals=1',
        'where=plan=pro&joinedAfter=2020-01-01T00:00:00Z&joinedBefore=2100-01-01T00:00:00Z',
        'where=plan=pro&status=waiting&limit=1',
        'where=x',
      ])
        assertError(await list(query), 403, 'forbidden', /^where: .*support role/);
      assert.equal((await list('where=plan=pro', 'support')).body.total, 2);
    });

    it('cannot go on with the pages of somebody who can', async () => {
      const { nextCursor } = (await list('where=plan=pro&limit=1', 'support')).body;
      assert.ok(nextCursor);
      for (const rest of ['', '&status=waiting', '&minReferrals=0', '&sort=position'])
        assertError(await list(`limit=1&cursor=${nextCursor}${rest}`), 400, 'invalid_request', /^cursor:/);
      assertError(await list(`limit=1&cursor=${nextCursor}&where=plan=pro`), 403, 'forbidden');
    });

    it('still look up entries by id, and list by what they see', async () => {
      const { id } = (await of.lookup('ada@example.com')).body;
      assert.deepEqual((await list(`search=${id}`)).body.entries[0]?.email, 'a…@e….com');
      assert.equal((await list('minReferrals=1')).body.total, 1);
      assert.equal((await list('joinedAfter=2020-01-01T00:00:00Z')).body.total, 3);
      assert.equal((await list('sort=position&status=waiting')).body.total, 3);
    });

    it('leave a record when they try, once per hour', async () => {
      const other = await service.waitlist();
      const path = `/waitlists/${other.id}/entries`;
      for (let guess = 0; guess < 5; guess += 1) {
        await ask('GET', `${path}?search=p${guess}@example.com`);
        await ask('GET', `${path}?where=plan=${guess}`);
      }
      const records = await auditOf(service, `waitlist:${other.id}/production`);
      assert.deepEqual(
        records.map(({ action, details }) => [action, details.actorName, details.after]),
        [['entries.read_refused', 'viewer', null]],
      );
      assert.doesNotMatch(JSON.stringify(records), /example\.com/);
    });

    it('get no address, phone number, code or metadata value from any route', async () => {
      const invite = await of.invite('ada@example.com');
      const { id, referralCode } = (await of.lookup('ada@example.com')).body;
      const document = await adminDocumentOf(service);
      const ids: Record<string, string> = { waitlistId: of.id, entryId: id, inviteId: invite.id };
      for (const { path, method, operation } of operationsOf(document)) {
        if (method !== 'get' || path.endsWith('/stream')) continue;
        const url = path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? 'none');
        const about = operation.parameters?.some(({ name }) => name === 'entry') ? `?entry=${id}` : '';
        const answer = await ask('GET', url.replace('/admin/v1', '') + about);
        for (const secret of ['ada@', 'bob@', '12345678', referralCode, invite.code, '"pro"'])
          assert.ok(!answer.text.includes(secret ?? '?'), `${url} shows ${secret}: ${answer.text}`);
      }
    });
  });

  describe('waves that choose people by metadata', () => {
    let service: Service;
    let ask: AskInRoles;
    before(async () => {
      service = await startService(engine);
      ask = await askInRoles(service, 'viewer');
    });
    after(() => service.close());

    const LATER = { timeZone: 'UTC', time: '09:00', repeat: 'once', date: '2030-12-01' };
    const PRO = { where: { plan: 'pro' } };
    const WAVES: Record<string, object> = {
      segment: { schedule: LATER, segment: PRO },
      narrowed: { schedule: LATER, segment: { ...PRO, minReferrals: 0 } },
      saved: { schedule: LATER, segment: { saved: 'Paying' } },
      open: { keepOpen: 50, segment: PRO },
      quotas: { schedule: LATER, quotas: [{ percent: 70, segment: PRO }] },
    };
    const create = async (of: List, plan: object) => {
      const body = { name: 'Launch', ...plan };
      const answer = await ask<{ id: string }>('POST', `/waitlists/${of.id}/waves`, {
        role: 'support',
        body,
      });
      assert.equal(answer.status, 201, answer.text);
      return `/waitlists/${of.id}/waves/${answer.body.id}`;
    };
    const people = (name: string, plans: readonly string[]) =>
      plans.map((plan, n) => ({ email: `${name}${n}@example.com`, metadata: { plan } }));

    for (const [name, plan] of Object.entries(WAVES))
      it(`tell viewers nothing about who signs up: ${name}`, async () => {
        const of = await service.waitlist();
        await ask('POST', `/waitlists/${of.id}/segments`, {
          role: 'support',
          body: { name: 'Paying', conditions: { where: ['plan=pro'] } },
        });
        const wave = await create(of, plan);
        const seen = async () => [
          (await ask('GET', wave)).body,
          (await ask('GET', `/waitlists/${of.id}/waves`)).body,
        ];
        const before = await seen();
        await of.signup(...people('early', ['pro', 'pro', 'pro', 'pro', 'pro', 'pro']));
        assert.deepEqual(await seen(), before, 'six at once');
        for (const [n, value] of ['pro', 'free', 'pro'].entries()) {
          await of.signup({ email: `p${n}@example.com`, metadata: { plan: value } });
          assert.deepEqual(await seen(), before, value);
        }
        const [details] = before;
        assert.deepEqual([details?.invited, details?.upcoming, details?.runs], [null, null, null]);
      });

    it('show viewers no numbers once they ran, and other roles all of them', async () => {
      const of = await service.waitlist();
      await of.signup(...people('p', ['pro', 'free', 'pro', 'free', 'free']));
      const wave = await create(of, WAVES.open ?? {});
      await keepUp(service.context);
      for (const path of [wave, `/waitlists/${of.id}/waves`]) {
        const { text } = await ask('GET', path);
        assert.match(text, /"invited":null/);
        assert.doesNotMatch(text, /"runs":\[/);
      }
      const { body } = await ask<{ invited: number; runs: { invited: number }[] }>('GET', wave, {
        role: 'support',
      });
      assert.deepEqual([body.invited, body.runs.map(({ invited }) => invited)], [2, [2]]);
    });

    it('are forecast for other roles as before', async () => {
      const of = await service.waitlist();
      await of.signup(...people('p', ['pro', 'free', 'pro']));
      const wave = await create(of, WAVES.segment ?? {});
      const { body } = await ask<{ upcoming: { invites: number }[] }>('GET', wave, { role: 'support' });
      assert.deepEqual(
        body.upcoming.map(({ invites }) => invites),
        [2],
      );
    });

    it('are the only ones with hidden numbers: viewers see those of conditions that they may use', async () => {
      const of = await service.waitlist();
      await of.signup(...people('p', ['pro', 'free', 'pro']));
      const { id } = (await of.lookup('p0@example.com')).body;
      const plans = [
        { schedule: LATER },
        { schedule: LATER, segment: { minReferrals: 0 } },
        { schedule: LATER, segment: { joinedAfter: '2020-01-01T00:00:00Z' } },
        { schedule: LATER, segment: { referrer: id } },
        { schedule: LATER, quotas: [{ percent: 70, segment: { minReferrals: 1 } }] },
      ];
      for (const plan of plans) {
        const wave = await create(of, plan);
        const { body } = await ask('GET', wave);
        assert.equal(body.invited, 0);
        assert.deepEqual(body, (await ask('GET', wave, { role: 'support' })).body);
      }
    });
  });

  describe('jobs that choose people', () => {
    it('tell viewers no numbers, which other roles get', async (test) => {
      const service = await startService(engine);
      test.after(() => service.close());
      const ask = await askInRoles(service, 'viewer');
      const of = await service.waitlist();
      await of.signup(
        { email: 'ada@example.com', metadata: { plan: 'pro' } },
        { email: 'bob@example.com', metadata: { plan: 'pro' } },
        { email: 'cleo@example.com', metadata: { plan: 'free' } },
      );
      const path = `/waitlists/${of.id}`;
      const start = async (kind: string, role: string, body: object) => {
        const answer = await ask<{ id: string }>('POST', `${path}/${kind}`, { role, body });
        assert.equal(answer.status, 202, answer.text);
        return answer.body.id;
      };
      const exported = await start('exports', 'admin', {
        format: 'csv',
        segment: { where: { plan: 'pro' } },
      });
      await ask('GET', `${path}/exports/${exported}/file`, { role: 'admin' });
      const invited = await start('invites', 'support', { segment: { where: { plan: 'pro' } } });
      await runDueJobs(service.context, [inviteJob]);

      type Job = Record<'id' | 'state' | 'done' | 'total' | 'result', unknown>;
      const numbersOf = ({ state, done, total, result }: Job) => [state, done, total, result !== null];
      for (const id of [exported, invited]) {
        const by = async (role: string) => numbersOf((await ask<Job>('GET', `/jobs/${id}`, { role })).body);
        assert.deepEqual(await by('viewer'), ['done', null, null, false]);
        assert.deepEqual(await by('support'), ['done', 2, 2, true]);
      }
      const list = async (role: string) =>
        (await ask<{ jobs: Job[] }>('GET', `${path}/jobs`, { role })).body.jobs.map(numbersOf);
      assert.deepEqual(await list('viewer'), Array(2).fill(['done', null, null, false]));
      assert.deepEqual(await list('support'), Array(2).fill(['done', 2, 2, true]));
      for (const query of [`?waitlist=${of.id}`, ''])
        for (const [role, numbers] of [
          ['viewer', ['done', null, null, false]],
          ['support', ['done', 2, 2, true]],
        ] as const) {
          const authorization = `Bearer ${await adminToken(service, role)}`;
          const stream = await openStream(`${service.url}/admin/v1/stream${query}`, { authorization });
          const told = [await stream.next('job'), await stream.next('job')].map((job) =>
            numbersOf(job as Job),
          );
          stream.close();
          assert.deepEqual(told, [numbers, numbers], role + query);
        }
    });
  });

  describe('personal data', () => {
    it('is read on the record, once per reader, waitlist and hour, on every route', async (test) => {
      const service = await startService(engine);
      test.after(() => service.close());
      const ask = await askInRoles(service, 'support');
      const reads: [string, (of: List) => Promise<string>][] = [
        ['search', async () => '/entries?search=ada@example.com'],
        ['list', async () => '/entries'],
        ['entry', async (of) => `/entries/${(await of.lookup('ada@example.com')).body.id}`],
        ['history', async (of) => `/entries/${(await of.lookup('ada@example.com')).body.id}/history`],
        ['referrals', async (of) => `/entries/${(await of.lookup('ada@example.com')).body.id}/referrals`],
        ['invites', async () => '/invites'],
        ['emails', async () => '/mails'],
        ['reviews', async () => '/referral-reviews'],
        ['top referrers', async () => '/statistics'],
        ['deliveries', async (of) => `/deliveries?entry=${(await of.lookup('ada@example.com')).body.id}`],
      ];
      for (const [name, pathOf] of reads) {
        const of = await service.waitlist();
        await of.signup({ email: 'ada@example.com' });
        const path = `/waitlists/${of.id}${await pathOf(of)}`;
        const recorded = async () =>
          (await auditOf(service, `waitlist:${of.id}/production`))
            .filter(({ action }) => action === 'entries.read')
            .map(({ details }) => details.actorName);
        await ask('GET', path, { role: 'viewer' });
        assert.deepEqual(await recorded(), [], name);
        for (let time = 0; time < 2; time += 1) {
          const answer = await ask('GET', path);
          assert.equal(answer.status, 200, answer.text);
        }
        assert.deepEqual(await recorded(), ['support'], name);
      }
      const of = await service.waitlist();
      await of.signup({ email: 'ada@example.com' });
      await ask('POST', `/waitlists/${of.id}/invites`, { body: { first: 1, dryRun: true } });
      const [record] = await auditOf(service, `waitlist:${of.id}/production`);
      assert.equal(record?.action, 'entries.read');
    });
  });
});
