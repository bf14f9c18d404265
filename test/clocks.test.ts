import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Challenge } from 'altcha-lib';
import { Webhook } from 'standardwebhooks';
import { readConfig } from '../src/config/config.ts';
import { openContext } from '../src/installation/open.ts';
import { createLogger } from '../src/lib/log.ts';
import { openOperators } from '../src/operators/context.ts';
import { followLink } from '../src/operators/links.ts';
import { inviteOperator } from '../src/operators/operators.ts';
import { COMMAND_LINE } from '../src/operators/roles.ts';
import { setupToken } from '../src/operators/setup.ts';
import { createToken } from '../src/operators/tokens.ts';
import { newTimeToken, readTimeToken, TOKEN_MS_MAX, TOKEN_MS_MIN } from '../src/waitlist/forms/challenge.ts';
import { findForm } from '../src/waitlist/forms/form.ts';
import { updateForm } from '../src/waitlist/forms/update-form.ts';
import { createInvite } from '../src/waitlist/invites/create-invites.ts';
import { gateKeys } from '../src/waitlist/keys/hook-keys.ts';
import { createKey } from '../src/waitlist/keys/server-keys.ts';
import type { Context } from '../src/waitlist/queue/context.ts';
import type { Queue } from '../src/waitlist/queue/queue.ts';
import { createWaitlist } from '../src/waitlist/settings/waitlists.ts';
import { rememberBackup } from '../src/waitlist/upkeep/confirmations.ts';
import { presentCreatedInvite } from '../src/wire/invite.ts';
import { easyProof } from './support/forms.ts';
import { type Client, clientFor, eventually, forEachEngine, startService } from './support/harness.ts';
import { type RunningProcess, startProcess } from './support/process.ts';
import { listen } from './support/recorded-events.ts';
import { createStorage, type Storage } from './support/storage.ts';

const SKEW_MS = 10 * 60_000;
/** Long enough for a busy machine to make an invite before it ends. */
const SHORT_MS = 4_000;
const SKEWED_CLOCK = path.join(import.meta.dirname, 'support', 'skewed-clock.ts');

describe('two instances whose clocks are 20 minutes apart, on one PostgreSQL', () => {
  let storage: Storage;
  let context: Context;
  let queue: Queue;
  let told: Awaited<ReturnType<typeof listen>>;
  let fast: Client;
  let slow: Client;
  const running: RunningProcess[] = [];
  before(async () => {
    storage = await createStorage('postgres', { migrated: true });
    context = await openContext(readConfig(storage.environment), createLogger('silent'));
    await createWaitlist(context, { id: 'wl_acme', name: 'Acme' });
    const found = await context.registry.queue('wl_acme', 'production');
    assert.ok(found);
    queue = found;
    told = await listen(context, queue);
    const start = async (skewMs: number) => {
      const environment = { CLOCK_SKEW_MS: String(skewMs), NODE_OPTIONS: `--import ${SKEWED_CLOCK}` };
      const server = await startProcess({
        ...storage.environment,
        ...environment,
        DOORLIST_RATE_LIMIT_INVITE_CHECK: '0',
        DOORLIST_RATE_LIMIT_INVITE_ACCEPT: '0',
        DOORLIST_RATE_LIMIT_AUTH_FAILURES: '0',
      });
      running.push(server);
      return clientFor(server.url);
    };
    fast = await start(SKEW_MS);
    slow = await start(-SKEW_MS);
  });
  after(async () => {
    await Promise.all(running.map((server) => server.stop()));
    await context?.db.close();
    await storage?.remove();
  });

  const invite = async (email: string, livesMs: number) => {
    const expiresAt = (await context.db.now()) + livesMs;
    const created = await createInvite(context, queue, { email, expiresAt });
    return { ...presentCreatedInvite(created), endsAt: expiresAt };
  };
  const passed = (time: number) =>
    eventually(
      () => context.db.now(),
      (now) => now > time,
    );

  it('agree on whether an invite is valid', async () => {
    const { code } = await invite('live@example.com', 5 * 60_000);
    for (const client of [fast, slow]) assert.equal((await client.check(code)).body.valid, true);
    assert.equal((await fast.accept(code)).status, 200);

    const short = await invite('short@example.com', SHORT_MS);
    await passed(short.endsAt);
    for (const client of [fast, slow]) {
      const { body } = await client.check(short.code);
      assert.deepEqual([body.valid, 'reason' in body && body.reason], [false, 'expired']);
      assert.equal((await client.accept(short.code)).status, 410);
    }
  });

  it('end each invite exactly once, with one event', async () => {
    await told();
    const invites: Awaited<ReturnType<typeof invite>>[] = [];
    for (let i = 0; i < 12; i += 1) invites.push(await invite(`race${i}@example.com`, SHORT_MS));
    const accepted = await Promise.all(
      invites.map(async ({ code, endsAt }) => {
        await passed(endsAt - 30);
        const answers = await Promise.all([fast.accept(code), slow.accept(code)]);
        return answers.filter(({ status }) => status === 200).length;
      }),
    );
    const ours = new Set<string>(invites.map(({ id }) => id));
    const ends = new Map<string, string[]>();
    const ended = await eventually(
      async () => {
        for (const { event, data } of await told()) {
          const id = data.invite?.id ?? '';
          if (event !== 'invite.sent' && ours.has(id)) ends.set(id, [...(ends.get(id) ?? []), event]);
        }
        return ends.size;
      },
      (size) => size === invites.length,
    );
    assert.equal(ended, invites.length);
    for (const [index, { id }] of invites.entries()) {
      const kind = accepted[index] === 1 ? 'invite.accepted' : 'invite.expired';
      assert.deepEqual(ends.get(id), [kind]);
    }
  });

  it('agree on when a form was shown', async () => {
    const { key } = await updateForm(context, queue, { enabled: true });
    assert.ok(key);
    const form = await eventually(() => findForm(context, key), Boolean);
    assert.ok(form);
    const path = `/form/v1/${key}`;
    for (const client of [fast, slow]) {
      const { body } = await client.request<{ challenge: Challenge }>('GET', path);
      const token = String(body.challenge.parameters.data?.token);
      const shownAt = readTimeToken(form, token, (await context.db.now()) + TOKEN_MS_MIN);
      assert.ok(typeof shownAt === 'object', `${client.url}: ${shownAt}`);
      const join = async (age: number): Promise<number> => {
        const made = newTimeToken(form, (await context.db.now()) - age);
        const values = { email: 'ada@example.com', proof: await easyProof(form, made) };
        return (await client.request('POST', path, { body: values })).status;
      };
      assert.equal(await join(TOKEN_MS_MIN + 60_000), 200);
      assert.equal(await join(-60_000), 403, 'too fast');
      assert.equal(await join(TOKEN_MS_MAX - 60_000), 200);
      assert.equal(await join(TOKEN_MS_MAX + 60_000), 403, 'too old');
    }
  });

  it('agree on whether a signature is recent', async () => {
    const secret = 'whsec_YW4gZXhhbXBsZSBzZWNyZXQsIG5vdCBhIHJlYWwgb25l';
    const { key } = await gateKeys.create(context, queue, { secret: `v1,${secret}` });
    const rawBody = JSON.stringify({ user: { email: 'nobody@example.com' } });
    for (const client of [fast, slow]) {
      const at = new Date(await context.db.now());
      const { status, text } = await client.request('POST', `/gate/v1/${key}?shape=supabase`, {
        rawBody,
        headers: {
          'content-type': 'application/json',
          'webhook-id': 'msg_1',
          'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
          'webhook-signature': new Webhook(secret).sign('msg_1', at, rawBody),
        },
      });
      assert.equal(status, 200, `${client.url}: ${text}`);
    }
  });

  it('verify a delivery that was signed just now', async () => {
    const secret = 'whsec_YW4gZXhhbXBsZSBzZWNyZXQsIG5vdCBhIHJlYWwgb25l';
    const payload = JSON.stringify({ type: 'signup.created' });
    for (const client of [fast, slow]) {
      const at = new Date(await context.db.now());
      const headers = {
        id: 'msg_1',
        timestamp: String(Math.floor(at.getTime() / 1_000)),
        signature: new Webhook(secret).sign('msg_1', at, payload),
      };
      const { text } = await client.request('POST', '/sdk/v1/waitlist/webhooks/verify', {
        body: { payload, headers, webhookSecret: secret },
      });
      assert.equal(JSON.parse(text).verified, true, `${client.url}: ${text}`);
    }
  });

  it('agree on how long ago something was, and on how long a session lasts', async () => {
    const operators = await openOperators(context);
    await rememberBackup(context.db, await context.db.now());
    const { token: key } = await createToken(operators, COMMAND_LINE, { name: 'Test', role: 'admin' });
    for (const client of [fast, slow]) {
      const { body } = await client.request<{ findings: { what: string; detail: string }[] }>(
        'GET',
        '/admin/v1/health',
        { key },
      );
      const backup = body.findings.find(({ what }) => what === 'backup');
      assert.match(backup?.detail ?? '', /^last made (less than a minute|[1-2] min) ago$/, client.url);
    }
    const owner = { email: 'grace@example.com', name: 'Grace', password: 'compilers translate words' };
    const body = { token: setupToken(operators), ...owner };
    const { headers } = await fast.request('POST', '/admin/v1/setup', { body });
    assert.match(headers.getSetCookie().join('\n'), /^doorlist=.*; Max-Age=1209600;/m);
  });

  it('agree on whether a server key is valid', async () => {
    const keyFor = async (livesMs: number) => {
      const expiresAt = (await context.db.now()) + livesMs;
      const input = { waitlistId: 'wl_acme', environment: 'production', canRead: true, expiresAt };
      return { ...(await createKey(context, input)), endsAt: expiresAt };
    };
    const read = async (client: Client, key: string) =>
      (await client.request('GET', '/sdk/v1/waitlist/wl_acme/entries', { key })).status;
    const long = await keyFor(5 * 60_000);
    const short = await keyFor(SHORT_MS);
    for (const client of [fast, slow]) assert.equal(await read(client, long.key), 200);
    await passed(short.endsAt);
    for (const client of [fast, slow]) {
      const status = await eventually(
        () => read(client, short.key),
        (answer) => answer === 401,
      );
      assert.equal(status, 401);
    }
  });
});

describe('the clock of the database', () => {
  it('is read without another connection in a transaction', async () => {
    const storage = await createStorage('postgres', { migrated: true });
    const environment = { ...storage.environment, DOORLIST_DATABASE_POOL: '1' };
    const limits = { connectMs: 1_000 };
    const context = await openContext(readConfig(environment), createLogger('silent'), Date.now, { limits });
    try {
      const operators = await openOperators(context);
      const input = { email: 'ada@example.com', role: 'viewer' } as const;
      const { link } = await inviteOperator(operators, COMMAND_LINE, input);
      const password = 'compilers translate words';
      const joined = await followLink(operators, { token: link.token, name: 'Ada', password }, null);
      assert.equal(joined.state, 'active');
    } finally {
      await context.db.close();
      await storage.remove();
    }
  });
});

forEachEngine('time', (engine) => {
  describe('a clock that is set back', () => {
    it('does not make an expired invite valid again', async () => {
      const service = await startService(engine);
      try {
        const list = await service.waitlist();
        const { code } = await list.invite('ada@example.com', { expiresAt: service.clock.now + 1_000 });
        service.clock.advance(1_000);
        assert.equal(await service.expire(list), 1);
        service.clock.advance(-1_000);
        const { body } = await service.check(code);
        assert.deepEqual([body.valid, 'reason' in body && body.reason], [false, 'expired']);
        assert.equal((await service.accept(code)).status, 410);
      } finally {
        await service.close();
      }
    });
  });
});
