import assert from 'node:assert/strict';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { newServerKey } from '../src/waitlist/keys/server-key-format.ts';
import {
  type Answer,
  assertError,
  eventually,
  forEachEngine,
  type Service,
  startService,
} from './support/harness.ts';

const VERIFY_BODY = { payload: '', headers: { id: '', timestamp: '', signature: '' }, webhookSecret: '' };

forEachEngine((engine) => {
  describe('rate limits', () => {
    const environment = {
      DOORLIST_RATE_LIMIT_INVITE_CHECK: '3',
      DOORLIST_RATE_LIMIT_INVITE_ACCEPT: '2',
      DOORLIST_RATE_LIMIT_VERIFY: '2',
      DOORLIST_RATE_LIMIT_AUTH_FAILURES: '3',
      DOORLIST_RATE_LIMIT_KEY: '4',
    };

    describe('of a service that callers reach directly', () => {
      let service: Service;
      before(async () => {
        service = await startService(engine, { environment });
      });
      after(() => service.close());

      const assertLimited = (answer: Answer, name: string, limit: number) => {
        assertError(answer, 429, 'rate_limited', `more than ${limit} requests per minute: slow down`);
        assert.equal(answer.headers.get('ratelimit-policy'), `"${name}";q=${limit};w=60`);
        assert.match(answer.headers.get('ratelimit') ?? '', new RegExp(`^"${name}";r=0;t=[0-9]+$`));
        assert.ok(Number(answer.headers.get('retry-after')) <= 60);
      };
      const edges: [string, number, (i: number) => Promise<Answer>, number][] = [
        ['invite-check', 3, () => service.check('abc'), 200],
        ['invite-accept', 2, () => service.accept('abc'), 404],
        ['verify', 2, () => service.verify(VERIFY_BODY), 200],
      ];
      for (const [name, limit, ask, usual] of edges) {
        it(`allow exactly ${limit} requests of ${name} in a minute, and as many in the next`, async () => {
          for (let round = 0; round < 2; round += 1) {
            for (let i = 1; i <= limit; i += 1) {
              const { status, headers } = await ask(i);
              assert.equal(status, usual);
              assert.equal(headers.get('ratelimit'), `"${name}";r=${limit - i};t=60`);
            }
            service.clock.advance(59_999);
            assertLimited(await ask(0), name, limit);
            service.clock.advance(1);
          }
        });
      }

      it('count a large verify body as several requests, with a known length or chunked', async () => {
        const roomy = await startService(engine, { environment: { DOORLIST_RATE_LIMIT_VERIFY: '10' } });
        try {
          const payload = 'x'.repeat(5 * 128 * 1024);
          const left = (answer: Answer) => /r=([0-9]+)/.exec(answer.headers.get('ratelimit') ?? '')?.[1];
          const first = await roomy.verify({ ...VERIFY_BODY, payload });
          assert.deepEqual([first.status, left(first)], [200, '4']);
          const body = new Blob([JSON.stringify({ ...VERIFY_BODY, payload })]).stream();
          const chunked = await fetch(`${roomy.url}/sdk/v1/waitlist/webhooks/verify`, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body,
            duplex: 'half',
          } as RequestInit);
          assert.equal(chunked.status, 429);
          assert.equal((await roomy.verify(VERIFY_BODY)).status, 429);
          roomy.clock.advance(60_000);
          assert.equal((await roomy.verify({ ...VERIFY_BODY, payload: 'x'.repeat(1_000_000) })).status, 200);
        } finally {
          await roomy.close();
        }
      });

      it('say in Retry-After when the next request is served', async () => {
        for (let i = 0; i < 3; i += 1) await service.check('abc');
        service.clock.advance(18_500);
        const { headers } = await service.check('abc');
        assert.equal(headers.get('retry-after'), '42');
        service.clock.advance(42_000);
        assert.equal((await service.check('abc')).status, 200);
        service.clock.advance(60_000);
      });

      it('of one endpoint do not affect another', async () => {
        for (let i = 0; i < 4; i += 1) await service.check('abc');
        assert.equal((await service.accept('abc')).status, 404);
        service.clock.advance(60_000);
      });

      it('ignore forwarded headers', async () => {
        const statuses: number[] = [];
        for (let i = 0; i < 4; i += 1) {
          const headers = {
            'x-forwarded-for': `192.0.2.${i}`,
            forwarded: `for=192.0.2.${i}`,
            'x-real-ip': `192.0.2.${i}`,
          };
          statuses.push((await service.check('abc', { headers })).status);
        }
        assert.deepEqual(statuses, [200, 200, 200, 429]);
        service.clock.advance(60_000);
      });

      it('stop a caller who guesses keys, but never one with a valid key', async () => {
        const list = await service.waitlist();
        const guess = () =>
          service.request('GET', `/sdk/v1/waitlist/${list.id}/entries`, { key: newServerKey('production') });
        for (let i = 0; i < 3; i += 1) assertError(await guess(), 401, 'unauthorized');
        assertLimited(await guess(), 'auth-failures', 3);
        assertLimited(
          await service.request('GET', `/sdk/v1/waitlist/${list.id}/entries`),
          'auth-failures',
          3,
        );
        assert.equal((await list.page()).status, 200);
        assert.equal((await list.signup({ email: 'a@example.com' })).status, 201);
        service.clock.advance(60_000);
        assertError(await guess(), 401, 'unauthorized');
      });

      it('can be set for each server key', async () => {
        const [one, two] = [await service.waitlist(), await service.waitlist()];
        for (let i = 0; i < 4; i += 1) assert.equal((await one.page()).status, 200);
        assertLimited(await one.page(), 'key', 4);
        assert.equal((await two.page()).status, 200);
        service.clock.advance(60_000);
        assert.equal((await one.page()).status, 200);
      });

      it('do not count CORS preflight requests', async () => {
        const ask = () =>
          service.request('OPTIONS', '/sdk/v1/waitlist/invites/abc/accept', {
            headers: { origin: 'https://x.example', 'access-control-request-method': 'POST' },
          });
        for (let i = 0; i < 5; i += 1) assert.equal((await ask()).status, 204);
      });
    });

    describe('of a service behind a trusted proxy', () => {
      let service: Service;
      before(async () => {
        service = await startService(engine, {
          environment: { ...environment, DOORLIST_TRUSTED_PROXIES: '127.0.0.1, 10.0.0.0/8' },
        });
      });
      after(() => service.close());

      /** How many of four checks are served, each with the next of these addresses. */
      const served = async (...forwarded: string[]) => {
        service.clock.advance(60_000);
        let count = 0;
        for (let i = 0; i < 4; i += 1) {
          const address = forwarded[i % forwarded.length] ?? '';
          const { status } = await service.check('abc', { headers: { 'x-forwarded-for': address } });
          if (status === 200) count += 1;
        }
        return count;
      };

      it('count each forwarded address separately', async () => {
        assert.equal(await served('192.0.2.1'), 3);
        assert.equal(await served('192.0.2.1', '192.0.2.2'), 4);
      });

      it('count a whole IPv6 /64 as one client', async () => {
        assert.equal(await served('2001:db8:1:2::1', '2001:db8:1:2:ffff::2', '2001:0db8:0001:0002::3'), 3);
        assert.equal(await served('2001:db8:1:2::1', '2001:db8:1:3::1'), 4);
      });

      it('count the last address that is not a trusted proxy, because the caller can forge those before it', async () => {
        assert.equal(
          await served('198.51.100.1, 192.0.2.1', '198.51.100.2, 192.0.2.1', '198.51.100.3, 192.0.2.1'),
          3,
        );
        assert.equal(await served('192.0.2.1, 10.1.1.1', '192.0.2.2, 10.1.1.2'), 4);
      });

      it('count an address as the same client with any port, brackets or quotes', async () => {
        assert.equal(await served('192.0.2.1:1', '192.0.2.1:65535', '192.0.2.1', '"192.0.2.1:7"'), 3);
        assert.equal(
          await served('[2001:db8::1]:1', '[2001:db8::1]', '"[2001:db8::2]:443"', '2001:db8::1'),
          3,
        );
        assert.equal(await served('for="[2001:db8::1]:1"', 'For=192.0.2.1'), 4);
        assert.equal(await served('192.0.2.1:1', '192.0.2.2:1'), 4);
        const behindProxies = ['192.0.2.1:1, 10.1.1.1:443', '192.0.2.1:2, 10.1.1.2:443, 10.1.1.3:1'];
        assert.equal(await served(...behindProxies), 3);
        assert.equal(await served('192.0.2.1:1, 10.1.1.1:443', '192.0.2.2:1, 10.1.1.1:443'), 4);
      });

      it('count what is no address as coming from the proxy, however it is made up', async () => {
        assert.equal(await served('nonsense', '', ',,,', 'ü'), 3);
        assert.equal(await served('192.0.2.1, a', '192.0.2.2, b', '192.0.2.3, unknown', '_hidden'), 3);
        assert.equal(await served('192.0.2.1, x, 10.1.1.1', '192.0.2.2, y, 10.1.1.1', 'z, 10.1.1.1'), 3);
        assert.equal(await served('x, 192.0.2.1', 'y, 192.0.2.2', ', 192.0.2.3,'), 4);
      });
    });

    it('are disabled at 0', async () => {
      const service = await startService(engine);
      try {
        const answers = await Promise.all(Array.from({ length: 700 }, () => service.check('abc')));
        assert.ok(
          answers.every(({ status, headers }) => status === 200 && headers.get('ratelimit') === null),
        );
      } finally {
        await service.close();
      }
    });
  });
});

forEachEngine((engine) => {
  /** Holds the lock of every queue, as a slow transaction would; returns how to let go. */
  const holdQueues = async (service: Service): Promise<() => Promise<void>> => {
    if (engine === 'sqlite') {
      const other = new DatabaseSync(path.join(service.storage.dataDir, 'doorlist.db'));
      other.exec('begin immediate');
      return async () => {
        other.exec('rollback');
        other.close();
      };
    }
    const client = new pg.Client({ connectionString: service.storage.environment.DATABASE_URL });
    await client.connect();
    await client.query('begin');
    await client.query('update queue_state set last_seq = last_seq');
    return async () => {
      await client.query('rollback');
      await client.end();
    };
  };

  it('refuses signups with 503 and Retry-After when too many are queued, and loses none of the others', async () => {
    const service = await startService(engine, { mostWaitingSignups: 5 });
    try {
      const [list, other] = [await service.waitlist(), await service.waitlist()];
      await Promise.all([list.page(), other.page()]);
      const letGo = await holdQueues(service);
      const waiting: Promise<Answer>[] = [];
      const refused: Answer[] = [];
      await new Promise<void>((resolve) => {
        for (let i = 0; i < 20; i += 1) {
          const attempt = (i % 2 ? list : other).signup({ email: `p${i}@example.com` });
          waiting.push(attempt);
          attempt.then((answer) => {
            if (answer.status === 503 && refused.push(answer) === 15) resolve();
          });
        }
      });
      for (const answer of refused) assertError(answer, 503, 'unavailable', /too many signups/);
      await letGo();
      const statuses = (await Promise.all(waiting)).map(({ status }) => status);
      assert.equal(statuses.filter((status) => status === 201).length, 5);
      const totals = (await list.page()).body.total + (await other.page()).body.total;
      assert.equal(totals, 5);
      assert.equal((await list.signup({ email: 'after@example.com' })).status, 201);
    } finally {
      await service.close();
    }
  });

  it('refuses signups that waited too long with 503 and Retry-After, and never stores them', async () => {
    const service = await startService(engine, { longestSignupWaitMs: 500 });
    try {
      const list = await service.waitlist();
      await list.page();
      const letGo = await holdQueues(service);
      const answers: Answer[] = [];
      const all = [1, 2, 3, 4].map(async (i) =>
        answers.push(await list.signup({ email: `p${i}@example.com` })),
      );
      // One is under way; the others wait behind it.
      await eventually(
        async () => answers.length,
        (count) => count === 3,
      );
      for (const answer of answers) assertError(answer, 503, 'unavailable', /too many signups/);
      await letGo();
      await Promise.all(all);
      assert.deepEqual(
        answers.map(({ status }) => status),
        [503, 503, 503, 201],
      );
      assert.equal((await list.signup({ email: 'next@example.com' })).status, 201);
      assert.equal((await list.page()).body.total, 2);
    } finally {
      await service.close();
    }
  });
});
