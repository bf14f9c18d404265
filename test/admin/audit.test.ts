import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { sql } from 'kysely';
import { openOperators } from '../../src/operators/context.ts';
import { trimAudit } from '../../src/operators/trim-audit.ts';
import { verifyAudit } from '../../src/operators/verify-audit.ts';
import { rotateMasterKey } from '../../src/waitlist/upkeep/instance.ts';
import { assertError, forEachEngine, startService } from '../support/harness.ts';
import { storedBytes } from '../support/inspect.ts';
import { adminToken, browserOf, join, OWNER, PASSWORD, setUp } from '../support/operators.ts';
import { typed } from '../support/terminal.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

const leftover = (seq: number) => ({
  ...{ seq, at: 0, action: 'session.created', actor: 'command-line', object: null },
  ...{ details: Buffer.alloc(40), hash: Buffer.alloc(32) },
});

interface Page {
  records: {
    number: number;
    action: string;
    actor: { kind: string; id: string | null; name: string };
    object: { id: string; name: string } | null;
    address: string | null;
    before: object | null;
    after: object | null;
    damaged: boolean;
  }[];
  nextCursor: string | null;
}

forEachEngine((engine) => {
  const start = async (test: TestContext) => {
    const service = await startService(engine);
    test.after(() => service.close());
    return { service, owner: await setUp(service) };
  };

  describe('the audit trail', () => {
    it('says who did what to whom, from where, with what was before and after', async (test) => {
      const { service, owner } = await start(test);
      const ada = await join(service, owner, 'viewer', 'ada@example.com');
      const { operator } = (await ada.get<{ operator: { id: string } }>('/me')).body;
      await owner.patch(`/operators/${operator.id}`, { role: 'support' });
      await owner.patch(`/operators/${operator.id}`, { role: 'support' }); // Changes nothing.
      assertError(await owner.patch(`/operators/${operator.id}`, { role: 'king' }), 400, 'invalid_request');
      const { records } = (await owner.get<Page>('/audit')).body;
      assert.deepEqual(records.map(({ action }) => action).reverse(), [
        'setup.completed',
        'session.created',
        'operator.created',
        'password.set',
        'session.created',
        'operator.role_changed',
      ]);
      const [changed] = records;
      assert.deepEqual(
        { ...changed, at: undefined, actor: changed?.actor.name, object: changed?.object?.name },
        {
          number: 6,
          at: undefined,
          action: 'operator.role_changed',
          actor: OWNER.email,
          object: 'ada@example.com',
          address: '127.0.0.1',
          before: { role: 'viewer' },
          after: { role: 'support' },
          damaged: false,
        },
      );
    });

    it('is paged and filtered', async (test) => {
      const { owner } = await start(test);
      for (const name of ['a', 'b', 'c']) await owner.post('/tokens', { name, role: 'viewer' });
      const seen: number[] = [];
      let cursor: string | null = null;
      do {
        const path: string = `/audit?limit=2${cursor === null ? '' : `&cursor=${cursor}`}`;
        const { body }: { body: Page } = await owner.get<Page>(path);
        seen.push(...body.records.map(({ number }) => number));
        cursor = body.nextCursor;
      } while (cursor !== null);
      assert.deepEqual(seen, [5, 4, 3, 2, 1]);
      const made = (await owner.get<Page>('/audit?action=token.created')).body.records;
      assert.equal(made.length, 3);
      const object = `token:${made[0]?.object?.id}`;
      assert.equal((await owner.get<Page>(`/audit?object=${object}`)).body.records.length, 1);
      const actor = `operator:${made[0]?.actor.id}`;
      assert.equal((await owner.get<Page>(`/audit?actor=${actor}`)).body.records.length, 5);
      for (const query of ['limit=0', 'limit=201', 'cursor=x', 'action=nothing', 'colour=red'])
        assertError(await owner.get(`/audit?${query}`), 400, 'invalid_request');
    });

    it('has no gap and no fork when many write at once', async (test) => {
      const { service, owner } = await start(test);
      await Promise.all(
        Array.from({ length: 20 }, (_, i) => owner.post('/tokens', { name: `t${i}`, role: 'viewer' })),
      );
      const { records, problem } = await verifyAudit(await openOperators(service.context));
      assert.deepEqual({ records, problem }, { records: 22, problem: undefined });
    });

    it('is not written when what it tells of fails', async (test) => {
      const { owner } = await start(test);
      const before = (await owner.get<Page>('/audit')).body.records.length;
      assertError(await owner.post('/operators', { email: OWNER.email, role: 'viewer' }), 409, 'conflict');
      assert.equal((await owner.get<Page>('/audit')).body.records.length, before);
    });

    it('loses its old records for good, and vouches for those who came with them', async (test) => {
      const { service, owner } = await start(test);
      await join(service, owner, 'viewer', 'ada@example.com');
      await adminToken(service, 'viewer', 'CI');
      const { db } = service.context;
      const operators = await openOperators(service.context);
      const doctor = async () => (await typed(service.storage.environment, 'doctor')).out;
      const numbers = async () => {
        const rows = await db.query.selectFrom('audit').select('seq').orderBy('seq').execute();
        return rows.map(({ seq }) => seq);
      };
      const before = await numbers();
      service.clock.advance(30 * DAY_MS);
      await trimAudit(operators, 30 * DAY_MS);
      assert.deepEqual(await numbers(), before, 'a day of patience, so that there is no record of each hour');

      service.clock.advance(DAY_MS + 1);
      const returned = browserOf(service);
      await returned.post('/session', { email: OWNER.email, password: PASSWORD }); // A record that stays.
      await trimAudit(operators, 30 * DAY_MS);
      const last = before.at(-1) ?? 0;
      assert.deepEqual(await numbers(), [last + 1, last + 2]);
      const { records } = (await returned.get<Page>('/audit')).body;
      assert.deepEqual(
        records.map(({ action, actor }) => [action, actor.kind]),
        [
          ['audit.trimmed', 'server'],
          ['session.created', 'operator'],
        ],
      );
      assert.match(JSON.stringify(records[0]?.after), new RegExp(`"through":${last},"before":"20`));
      assert.match(await doctor(), /ok +audit trail: 2 records/);

      await trimAudit(operators, 30 * DAY_MS);
      assert.deepEqual(await numbers(), [last + 1, last + 2], 'nothing more');
      await db.query.insertInto('audit').values(leftover(last)).execute();
      await trimAudit(operators, 30 * DAY_MS);
      assert.deepEqual(await numbers(), [last + 1, last + 2], 'what a killed process left is gone');

      await db.query
        .deleteFrom('audit')
        .where('seq', '=', last + 1)
        .execute();
      const moved = { start_seq: last + 1, start_hash: Buffer.alloc(32) };
      await db.query.updateTable('audit_head').set(moved).execute();
      assert.match(await doctor(), new RegExp(`WRONG +audit trail: records before ${last + 2} were removed`));
      service.clock.advance(60 * DAY_MS);
      await trimAudit(operators, 30 * DAY_MS);
      assert.deepEqual(await numbers(), [last + 2], 'a broken trail is evidence');
    });

    it('shows `doctor` what somebody with the database changed', async (test) => {
      const { service, owner } = await start(test);
      for (const name of ['a', 'b', 'c']) await owner.post('/tokens', { name, role: 'viewer' });
      const { query } = service.context.db;
      const doctor = async () => (await typed(service.storage.environment, 'doctor')).out;
      assert.match(await doctor(), /ok +audit trail: 5 records/);

      await sql`update audit set action = 'token.revoked' where seq = 4`.execute(query);
      assert.match(await doctor(), /WRONG +audit trail: record 4 was modified/);
      await sql`update audit set action = 'token.created' where seq = 4`.execute(query);
      assert.match(await doctor(), /ok +audit trail/);

      await sql`update audit set at = at + 1 where seq = 2`.execute(query);
      assert.match(await doctor(), /WRONG +audit trail: record 2 was modified/);
      await sql`update audit set at = at - 1 where seq = 2`.execute(query);

      const details = await sql<{ details: Buffer }>`select details from audit where seq = 4`.execute(query);
      await sql`update audit set details = ${Buffer.from('damaged')} where seq = 4`.execute(query);
      assert.match(await doctor(), /WRONG +audit trail: record 4 was modified/);
      const listed = (await owner.get<Page>('/audit')).body.records.slice(0, 3);
      assert.deepEqual(
        listed.map(({ number, action, actor, damaged }) => [number, action, actor.name, damaged]),
        [
          [5, 'token.created', OWNER.email, false],
          [4, 'token.created', null, true],
          [3, 'token.created', OWNER.email, false],
        ],
      );
      await sql`update audit set details = ${details.rows[0]?.details} where seq = 4`.execute(query);
      assert.match(await doctor(), /ok +audit trail/);

      await sql`delete from audit where seq = 5`.execute(query);
      assert.match(await doctor(), /WRONG +audit trail: the records after 4 are missing/);
      await sql`delete from audit where seq = 2`.execute(query);
      assert.match(await doctor(), /WRONG +audit trail: record 2 is missing/);
    });

    it('cannot be cut at its end, not even with a matching head, nor continued after a cut', async (test) => {
      const { service, owner } = await start(test);
      for (const name of ['a', 'b', 'c']) await owner.post('/tokens', { name, role: 'viewer' });
      const { query } = service.context.db;
      const doctor = async () => (await typed(service.storage.environment, 'doctor')).out;
      await sql`delete from admin_token where name = 'c'`.execute(query);
      await sql`delete from audit where seq = 5`.execute(query);
      await sql`update audit_head set seq = 4, hash = (select hash from audit where seq = 4)`.execute(query);
      const cut = /WRONG +audit trail: records after 4 were removed/;
      assert.match(await doctor(), cut);
      await sql`update audit_head set seal = null`.execute(query);
      assert.match(await doctor(), cut);
      await owner.post('/tokens', { name: 'd', role: 'viewer' });
      assert.match(await doctor(), /WRONG +audit trail: records before 5 were removed/);
    });

    it('must not be empty, or begin later, where there are operators', async (test) => {
      const { service, owner } = await start(test);
      const { query } = service.context.db;
      const doctor = async () => (await typed(service.storage.environment, 'doctor')).out;
      await sql`delete from audit`.execute(query);
      await sql`delete from audit_head`.execute(query);
      assert.match(
        await doctor(),
        /WRONG +audit trail: there is no record of how operator opr_\w+ was added/,
      );
      await owner.post('/tokens', { name: 'a', role: 'viewer' });
      assert.match(
        await doctor(),
        /WRONG +audit trail: there is no record of how operator opr_\w+ was added/,
      );
    });

    it('opens after the master key was rotated, as does everything else of operators', async (test) => {
      const { service, owner } = await start(test);
      await rotateMasterKey(service.context);
      const again = await openOperators(service.context);
      assert.equal((await verifyAudit(again)).problem, undefined);
      assert.equal((await owner.get<Page>('/audit')).body.records[0]?.actor.name, OWNER.email);
      const restarted = await startService(engine, { storage: service.storage, startAt: service.clock.now });
      test.after(() => restarted.close());
      assert.equal((await browserOf(restarted).signIn(OWNER.email, PASSWORD)).status, 200);
    });
  });

  describe('what is stored of operators', () => {
    it('has no email, name, address, password, session, token, link or code in the clear', async (test) => {
      const since = new Date();
      const { service, owner } = await start(test);
      const { token } = (await owner.post<{ token: string }>('/tokens', { name: 'ci', role: 'viewer' })).body;
      const { link } = (
        await owner.post<{ link: { url: string } }>('/operators', {
          email: 'ada.l@example.com',
          role: 'viewer',
        })
      ).body;
      await owner.request('POST', '/admin/v1/session', {
        body: { email: OWNER.email, password: PASSWORD },
        headers: { 'user-agent': 'browser-of-this-test' },
      });
      const { secret } = (await owner.post<{ secret: string }>('/me/two-factor', { password: PASSWORD }))
        .body;
      const session = owner.cookies.get('doorlist') ?? '';
      const secrets = [
        OWNER.email,
        OWNER.name,
        'ada.l@example.com',
        PASSWORD,
        token,
        link.url.split('/').at(-1) ?? '',
        secret,
        session,
        'browser-of-this-test',
      ];
      const files = await storedBytes(service.storage, since);
      const log = Buffer.from(service.log.join('\n'));
      for (const { name, bytes } of [...files, { name: 'log', bytes: log }])
        for (const each of secrets) assert.ok(!bytes.includes(each), `${each} is in ${name}`);
    });
  });
});
