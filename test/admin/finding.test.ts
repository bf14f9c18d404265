import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { searchEverywhere } from '../../src/waitlist/finding/search-entry.ts';
import { sealVisit } from '../../src/waitlist/forms/visits.ts';
import { startInviteRun } from '../../src/waitlist/invites/invite-run.ts';
import { signLink } from '../../src/waitlist/links/links.ts';
import { LINK_BYTES, visitCodeOf } from '../../src/waitlist/referrals/referral-code.ts';
import type { PresentedEntry } from '../../src/wire/entry.ts';
import { type AskInRoles, askInRoles, auditOf } from '../support/admin.ts';
import { assertError, forEachEngine, type List, type Service, startService } from '../support/harness.ts';
import { createStorage, type Storage } from '../support/storage.ts';
import { command } from '../support/terminal.ts';

interface Page {
  entries: PresentedEntry[];
  total: number | null;
}
interface Saved {
  id: string;
  name: string;
  conditions: Record<string, unknown>;
}
interface Found {
  people: { waitlist: { id: string; name: string }; environment: string; entry: PresentedEntry }[];
  complete: boolean;
}

forEachEngine((engine) => {
  let storage: Storage;
  let service: Service;
  let ask: AskInRoles;
  before(async () => {
    storage = await createStorage(engine, { migrated: true });
    service = await startService(engine, { storage, startAt: Date.now() });
    ask = await askInRoles(service, 'support');
  });
  after(async () => {
    await service.close();
    await storage.remove();
  });

  const emails = ({ entries }: Page) => entries.map(({ email }) => email);
  const list = async (of: List, query: Record<string, string>, role = 'support') =>
    ask<Page>('GET', `/waitlists/${of.id}/entries?${new URLSearchParams(query)}`, { role });
  const save = (of: List, name: string, conditions: object, role = 'support') =>
    ask<Saved>('POST', `/waitlists/${of.id}/segments`, { role, body: { name, conditions } });
  const run = async <T>(...words: string[]): Promise<T> => {
    const { code, error, json } = await command<T>(storage.environment, ...words);
    assert.equal(code, 0, error);
    return json;
  };

  describe('a search in all waitlists', () => {
    it('names every waitlist and environment that a person is on, and records only those as read', async () => {
      const [one, two, third] = [
        await service.waitlist({ name: 'One' }),
        await service.waitlist({ name: 'Two' }),
        await service.waitlist({ name: 'Three' }),
      ];
      await one.signup({ email: 'ada@example.com', phone: '+14155550111' });
      await two.signup({ email: 'Ada@Example.com' }, { email: 'grace@example.com' });
      await third.signup({ email: 'grace@example.com' });
      const find = async (search: string) => {
        const { status, body } = await ask<Found>('GET', `/people?search=${encodeURIComponent(search)}`);
        assert.equal(status, 200);
        assert.equal(body.complete, true);
        return body.people.map(({ waitlist, environment }) => `${waitlist.name} ${environment}`).sort();
      };
      const reads = async (of: List) => (await auditOf(service, `waitlist:${of.id}/production`)).length;
      assert.deepEqual(await find('ADA@example.com '), ['One production', 'Two production']);
      assert.deepEqual(await find('+1 415 555 0111'), ['One production']);
      assert.deepEqual(await find('nobody@example.com'), []);
      assert.deepEqual([await reads(one), await reads(third)], [1, 0]);
      const { id, referralCode } = (await third.lookup('grace@example.com')).body;
      assert.deepEqual(await find(id), ['Three production']);
      assert.deepEqual(await find(referralCode ?? ''), ['Three production']);
      assertError(await ask('GET', '/people?search=ada@example.com', { role: 'viewer' }), 403, 'forbidden');
      assertError(await ask('GET', '/people'), 400, 'invalid_request');
    });

    it('finds whom a link is for, whichever they paste, and nobody by a link that was changed', async () => {
      const own = await service.waitlist({ name: 'Linked' });
      await own.signup({ email: 'ada@example.com' }, { email: 'invited@example.com' });
      const { code } = await own.invite('invited@example.com');
      const queue = await own.queue();
      const { id, referralCode } = (await own.lookup('ada@example.com')).body;
      const at = Date.now();
      const site = 'https://doorlist.example';
      const { seq } = await service.context.db.query
        .selectFrom('entry')
        .select('seq')
        .where('queue_id', '=', queue.id)
        .orderBy('seq')
        .limit(1)
        .executeTakeFirstOrThrow();
      const shared = randomBytes(LINK_BYTES);
      const visit = sealVisit(queue, { seq, place: seq, known: false, advanced: 0, link: shared });
      const token = (purpose: 'confirm' | 'leave' | 'status') => signLink(queue, purpose, { id, at });
      const found = async (search: string) => {
        const { entries } = (await list(own, { search })).body;
        const people = (await ask<Found>('GET', `/people?search=${encodeURIComponent(search)}`)).body.people;
        assert.deepEqual(
          people.map(({ entry }) => entry.id),
          entries.map((entry) => entry.id),
          search,
        );
        return entries.map(({ email }) => email);
      };
      for (const link of [
        `${site}/confirm/${token('confirm')}`,
        `${site}/s/${token('status')}?lang=de`,
        `${site}/unsubscribe/${token('leave')}`,
        token('leave'),
        `https://acme.example/confirmed?utm_source=mail&token=${token('confirm')}`,
        `${site}/s/${visit}`,
        `${site}/w/${own.id}?ref=${visitCodeOf(queue, seq, shared)}`,
        `${site}/w/${own.id}?ref=${referralCode}`,
        `https://acme.example/r/${referralCode}#top`,
      ])
        assert.deepEqual(await found(link), ['ada@example.com'], link);
      for (const link of [`${site}/join/${code}`, `https://acme.example/?code=${code}`, code])
        assert.deepEqual(await found(link), ['invited@example.com'], link);
      const changed = token('status').slice(0, -1) + (token('status').endsWith('A') ? 'B' : 'A');
      for (const link of [`${site}/s/${changed}`, `${site}/w/${own.id}`, site, 'https://', `${site}/%ff`])
        assert.deepEqual(await found(link), [], link);
      const link = `${site}/s/${token('status')}`;
      assertError((await list(own, { search: link }, 'viewer')) as never, 403, 'forbidden');
    });

    it('goes through many waitlists in steps, and says if it stopped', async () => {
      const last = await service.waitlist();
      await last.signup({ email: 'far@example.com' });
      let steps = 0;
      const makeWay = async () => {
        steps += 1;
      };
      const whole = await searchEverywhere(service.context, 'far@example.com', makeWay, { atOnce: 2 });
      assert.deepEqual([whole.people.length, whole.complete], [1, true]);
      assert.ok(steps > 1, String(steps));
      const part = await searchEverywhere(service.context, 'far@example.com', makeWay, {
        ...{ atOnce: 2, most: 2 },
      });
      assert.deepEqual([part.people.length, part.complete], [0, false]);
    });
  });

  describe('saved segments', () => {
    it('have a name of their own, and are used by lists, invites, exports and commands', async () => {
      const of = await service.waitlist();
      await of.signup(
        { email: 'a@example.com', metadata: { plan: 'pro' } },
        { email: 'b@example.com', metadata: { plan: 'free' } },
        { email: 'c@example.com', metadata: { plan: 'pro' }, referredBy: 'a@example.com' },
      );
      const { status, body: saved } = await save(of, ' Pro people ', {
        where: ['plan=pro'],
        status: 'waiting',
      });
      assert.equal(status, 201);
      assert.equal(saved.name, 'Pro people');
      assert.deepEqual(saved.conditions, { where: ['plan=pro'], status: 'waiting' });
      const kept = await service.context.db.query.selectFrom('saved_segment').selectAll().execute();
      assert.ok(kept.every(({ conditions }) => !Buffer.from(conditions).includes('pro')));

      for (const name of [saved.id, 'pro PEOPLE'])
        assert.deepEqual(emails((await list(of, { saved: name })).body), ['a@example.com', 'c@example.com']);
      assert.deepEqual(emails((await list(of, { saved: saved.id, minReferrals: '1' })).body), [
        'a@example.com',
      ]);
      assertError(await list(of, { saved: saved.id, status: 'joined' }), 400, 'invalid_request');
      assertError(await list(of, { saved: 'Nothing' }), 404, 'not_found');

      const invites = (body: object) =>
        ask<{ count: number }>('POST', `/waitlists/${of.id}/invites`, { body: { ...body, dryRun: true } });
      assert.equal((await invites({ segment: { saved: 'Pro people' } })).body.count, 2);
      const { body: joined } = await save(of, 'Joined', { status: 'joined' });
      assertError(await invites({ segment: { saved: joined.id } }), 400, 'invalid_request');

      const exported = await ask<{ total: number }>('POST', `/waitlists/${of.id}/exports`, {
        ...{ role: 'admin', body: { format: 'csv', segment: { saved: saved.id } } },
      });
      assert.equal(exported.body.total, 2, exported.text);

      const at = ['--waitlist', of.id];
      const listed = await run<PresentedEntry[]>('entry', 'list', ...at, '--segment', 'pro people');
      assert.equal(listed.length, 2);
      await run('segment', 'create', 'Referrers', '--min-referrals', '1', ...at);
      assert.deepEqual(
        (await run<Saved[]>('segment', 'list', ...at)).map(({ name }) => name),
        ['Joined', 'Pro people', 'Referrers'],
      );
      await run('segment', 'rename', 'referrers', 'Champions', ...at);
      const file = `${storage.dataDir}/champions.csv`;
      assert.deepEqual(await run('export', ...at, '--segment', 'Champions', '--out', file), {
        ...{ file, entries: 1 },
      });
      const { invited } = await run<{ invited: number }>('invite', 'segment', ...at, '--segment', saved.id);
      assert.equal(invited, 2);
      await run('segment', 'delete', 'Champions', ...at);
      const refused = await command<{ code: string }>(
        storage.environment,
        ...['invite', 'segment', ...at, '--segment', 'Joined'],
      );
      assert.equal(refused.code, 2);
    });

    it('are renamed, changed and deleted, one name for one of at most 100, with a record of each', async () => {
      const of = await service.waitlist();
      const path = `/waitlists/${of.id}/segments`;
      const { body: first } = await save(of, 'First', { minReferrals: 1 });
      assertError(await save(of, 'FIRST', { minReferrals: 2 }), 409, 'conflict');
      assertError(await save(of, 'Empty', {}), 400, 'invalid_request');
      assertError(await save(of, '  ', { minReferrals: 2 }), 400, 'invalid_request');
      assertError(await save(of, 'x'.repeat(101), { minReferrals: 2 }), 400, 'invalid_request');
      const twice = await Promise.all([1, 2].map((least) => save(of, 'Race', { minReferrals: least })));
      assert.deepEqual(twice.map(({ status }) => status).sort(), [201, 409]);

      const renamed = await ask<Saved>('PATCH', `${path}/${first.id}`, { body: { name: 'Renamed' } });
      assert.deepEqual(
        [renamed.body.name, renamed.body.conditions],
        ['Renamed', { minReferrals: 1 }],
        renamed.text,
      );
      assertError(await ask('PATCH', `${path}/${first.id}`, { body: { name: 'race' } }), 409, 'conflict');
      const joinedAfter = '2026-01-01T00:00:00.000Z';
      const changed = await ask<Saved>('PATCH', `${path}/${first.id}`, {
        body: { conditions: { joinedAfter } },
      });
      assert.deepEqual(changed.body.conditions, { joinedAfter });
      for (let n = 2; n < 100; n += 1)
        assert.equal((await save(of, `Segment ${n}`, { minReferrals: n })).status, 201);
      assertError(await save(of, 'One too many', { minReferrals: 1 }), 409, 'conflict');
      assert.equal((await ask('DELETE', `${path}/${first.id}`)).status, 200);
      assertError(await ask('DELETE', `${path}/${first.id}`), 404, 'not_found');
      assert.deepEqual(
        (await auditOf(service, `segment:${first.id}`)).map(({ action }) => action),
        ['segment.created', 'segment.updated', 'segment.updated', 'segment.deleted'],
      );
      const other = await ask<{ segments: Saved[] }>('GET', `${path}?environment=development`);
      assert.deepEqual(other.body.segments, []);
    });

    it('do not tell viewers about metadata', async () => {
      const of = await service.waitlist();
      const { body: secret } = await save(of, 'Secret', { where: ['plan=pro'] });
      const { body: plain } = await save(of, 'Plain', { minReferrals: 0 });
      const { body } = await ask<{ segments: Saved[] }>('GET', `/waitlists/${of.id}/segments`, {
        role: 'viewer',
      });
      assert.deepEqual(
        body.segments.map(({ name }) => name),
        ['Plain'],
      );
      assertError(await list(of, { saved: secret.id }, 'viewer'), 403, 'forbidden');
      assert.equal((await list(of, { saved: plain.id }, 'viewer')).status, 200);
      assertError(await save(of, 'Mine', { minReferrals: 1 }, 'viewer'), 403, 'forbidden');
    });
  });

  it('takes as many conditions on metadata as metadata has keys, wherever there are conditions', async () => {
    const of = await service.waitlist();
    const pairs = Array.from({ length: 65 }, (_, at) => [`key${at}`, 'yes'] as const);
    const metadata = Object.fromEntries(pairs.slice(1));
    await of.signup({ email: 'ada@example.com', metadata }, { email: 'b@example.com' });
    const texts = pairs.map((pair) => pair.join('='));
    const query = (from: number) =>
      texts
        .slice(from)
        .map((text) => `where=${text}`)
        .join('&');
    const path = `/waitlists/${of.id}`;
    assert.deepEqual(emails((await ask<Page>('GET', `${path}/entries?${query(1)}`)).body), [
      'ada@example.com',
    ]);
    const { body: saved } = await save(of, 'All keys', { where: texts.slice(1) });

    const wave = { name: 'Wave', keepOpen: 5 };
    for (const [call, field, body] of [
      [`GET ${path}/entries?${query(0)}`, 'where'],
      [`GET ${path}/entries?saved=${saved.id}&where=plan=pro`, 'where'],
      [`POST ${path}/segments`, 'conditions.where', { name: 'More', conditions: { where: texts } }],
      [
        `PATCH ${path}/segments/${saved.id}`,
        'conditions.where',
        { conditions: { where: texts.map(() => 5) } },
      ],
      [`POST ${path}/invites`, 'segment.where', { segment: { where: texts }, dryRun: true }],
      [`POST ${path}/invites`, 'segment.where', { segment: { where: Object.fromEntries(pairs) } }],
      [`POST ${path}/invites`, 'segment.where', { segment: { saved: saved.id, where: { plan: 'pro' } } }],
      [`POST ${path}/exports`, 'segment.where', { format: 'csv', segment: { where: texts } }],
      [`POST ${path}/waves`, 'segment.where', { ...wave, segment: { where: texts } }],
      [
        `POST ${path}/waves`,
        'quotas[1].segment.where',
        {
          ...wave,
          quotas: [{ where: texts.slice(1) }, { where: texts }].map((segment) => ({ percent: 5, segment })),
        },
      ],
    ] as const) {
      const [method, address] = call.split(' ') as ['GET', string];
      const answer = await ask<{ fields: { name: string }[] }>(method, address, {
        role: 'admin',
        ...(body ? { body } : {}),
      });
      assertError(answer, 400, 'invalid_request', /where: has more than 64 (values|keys)/);
      assert.deepEqual(
        answer.body.fields.map(({ name }) => name),
        [field],
        answer.text,
      );
    }

    const noPairs: [path: string, body: object, message: string][] = [
      ['invites', { segment: { where: ['a=b', 'a'] } }, 'segment.where[1]: must be key=value'],
      ['invites', { segment: { where: { a: 'b', '': 'c' } } }, 'segment.where: has an empty key'],
      ['segments', { name: 'No', conditions: { where: ['=b'] } }, 'conditions.where[0]: must be key=value'],
    ];
    for (const [at, body, message] of noPairs)
      assertError(await ask('POST', `${path}/${at}`, { body }), 400, 'invalid_request', message);

    const words = texts.flatMap((text) => ['--where', text]);
    const listed = await run<PresentedEntry[]>('entry', 'list', '--waitlist', of.id, ...words.slice(2));
    assert.equal(listed.length, 1);
    const refused = await command(storage.environment, 'entry', 'list', '--waitlist', of.id, ...words);
    assert.deepEqual([refused.code, /--where: can be used at most 64 times/.test(refused.error)], [2, true]);
  });

  it('finds and saves metadata keys that every object has', async () => {
    const of = await service.waitlist();
    const keys = ['constructor', 'hasOwnProperty', 'toString'];
    const file = `${storage.dataDir}/odd.csv`;
    await writeFile(file, `email,constructor,odd,toString\nodd@example.com,x,x,x\nplain@example.com,y,y,y\n`);
    await run('import', file, '--waitlist', of.id, '--map', 'odd=metadata.hasOwnProperty');
    for (const key of keys) {
      const pair = `${key}=x`;
      assert.deepEqual(emails((await list(of, { where: pair })).body), ['odd@example.com'], key);
      const { body, text } = await save(of, key, { where: [pair] });
      assert.deepEqual(body.conditions, { where: [pair] }, text);
      assert.deepEqual(emails((await list(of, { saved: key })).body), ['odd@example.com'], key);
    }
    const { body } = await ask<{ count: number }>('POST', `/waitlists/${of.id}/invites`, {
      body: { segment: { where: keys.map((key) => `${key}=x`) }, dryRun: true },
    });
    assert.equal(body.count, 1);
    assert.deepEqual(emails((await list(of, { where: '__proto__=x' })).body), []); // No entry can have it.
  });

  it('lists whom a person referred, and who joined in a time, as a segment', async () => {
    const of = await service.waitlist();
    await of.signup({ email: 'a@example.com' }, { email: 'b@example.com', referredBy: 'a@example.com' });
    service.clock.advance(86_400_000);
    const later = new Date(service.clock.now).toISOString();
    await of.signup({ email: 'c@example.com', referredBy: 'a@example.com' }, { email: 'd@example.com' });
    const referrer = (await of.lookup('a@example.com')).body.id;
    assert.deepEqual(emails((await list(of, { referrer })).body), ['b@example.com', 'c@example.com']);
    assert.deepEqual(emails((await list(of, { referrer, joinedAfter: later })).body), ['c@example.com']);
    assert.deepEqual(emails((await list(of, { referrer }, 'viewer')).body).length, 2);
    assert.deepEqual(emails((await list(of, { referrer: `ent_${'0'.repeat(26)}` })).body), []);
    assertError(await list(of, { referrer: 'a@example.com' }), 400, 'invalid_request');
  });

  it('finds invites by exact email, code and id, and lists the newest first', async () => {
    const of = await service.waitlist();
    await of.signup(...Array.from({ length: 30 }, (_, n) => ({ email: `p${n}@example.com` })));
    await startInviteRun(service.context, await of.queue(), { first: 30 }, undefined);
    service.clock.advance(1_000);
    const { code } = await of.invite('late@example.com');
    const invites = async (query: Record<string, string> = {}, role = 'support') =>
      ask<{ invites: { id: string; email: string }[] }>(
        'GET',
        `/waitlists/${of.id}/invites?${new URLSearchParams(query)}`,
        { role },
      );
    const all = (await invites()).body.invites;
    assert.deepEqual(
      all.map(({ email }) => email),
      ['late@example.com', ...Array.from({ length: 30 }, (_, n) => `p${29 - n}@example.com`)],
    );
    const found = async (search: string, more = {}) =>
      (await invites({ search, ...more })).body.invites.map(({ email }) => email);
    assert.deepEqual(await found(' P7@example.com'), ['p7@example.com']);
    assert.deepEqual(await found(code), ['late@example.com']);
    assert.deepEqual(await found(all[3]?.id ?? ''), [all[3]?.email]);
    assert.deepEqual(await found('p7@example.com', { state: 'accepted' }), []);
    assert.deepEqual(await found('p7@example'), []);
    assert.deepEqual(await found(code.slice(1)), []);
    assertError(await invites({ search: 'p7@example.com' }, 'viewer'), 403, 'forbidden');
    assert.equal((await invites({ search: all[3]?.id ?? '' }, 'viewer')).body.invites.length, 1);
  });
});
