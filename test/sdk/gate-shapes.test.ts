import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { assertError, forEachEngine, type List, type Service, startService } from '../support/harness.ts';

const WHSEC = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const WORKOS_SECRET = 'wos_9f8e7d6c5b4a';
const NOT_INVITED = 'This email address has not been invited yet.';

/** The published example, with fields that the gate does not need. */
const supabaseEvent = (email: string | undefined, metadata: object = {}, uuid = '8b34dcdd') => ({
  metadata: {
    uuid,
    time: '2025-04-29T13:13:24.755552-07:00',
    name: 'before-user-created',
    ip_address: '::1',
  },
  user: {
    id: 'ff7fc9ae-3b1b-4642-9241-64adb9848a03',
    aud: 'authenticated',
    role: '',
    email,
    phone: '',
    app_metadata: { provider: 'email', providers: ['email'] },
    user_metadata: metadata,
    identities: [],
    created_at: '0001-01-01T00:00:00Z',
    is_anonymous: false,
  },
});

const workosEvent = (email: string | undefined, id = '01JATCMZJY26PQ59XT9BNT0FNN') => ({
  id,
  user_data: { object: 'user_data', email, name: 'Jane Doe', first_name: 'Jane', last_name: 'Doe' },
  ip_address: '50.141.123.10',
  user_agent: 'Mozilla/5.0',
  device_fingerprint: 'notafingerprint',
  object: 'user_registration_action_context',
});

forEachEngine((engine) => {
  let service: Service;
  let list: List;
  before(async () => {
    service = await startService(engine);
    list = await service.waitlist();
  });
  after(() => service.close());
  const post = (path: string, body: string, headers: Record<string, string>) =>
    service.request<Record<string, unknown>>('POST', path, {
      rawBody: body,
      headers: { 'content-type': 'application/json', ...headers },
    });

  describe('the gate for Supabase', () => {
    let gate: string;
    before(async () => {
      gate = `${await list.gate({ secret: `v1,${WHSEC}` })}?shape=supabase`;
    });
    const signed = (body: string, secret = WHSEC, at = service.clock.now, id = 'msg_1') => ({
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at / 1000)),
      'webhook-signature': new Webhook(secret).sign(id, new Date(at), body),
    });
    const ask = (event: object) => {
      const body = JSON.stringify(event);
      return post(gate, body, signed(body));
    };

    it('lets invited people in, and says to others why not', async () => {
      await list.invite('sue@example.com');
      const { status, body, headers } = await ask(supabaseEvent('sue@example.com'));
      assert.deepEqual([status, body], [200, {}]);
      assert.match(headers.get('content-type') ?? '', /^application\/json/);
      const denied = await ask(supabaseEvent('sam@example.com'));
      assert.deepEqual(
        [denied.status, denied.body],
        [200, { error: { http_code: 403, message: NOT_INVITED } }],
      );
    });

    it('repeats its answer when Supabase repeats the request under another webhook id', async () => {
      await list.invite('ret@example.com');
      const body = JSON.stringify(supabaseEvent('ret@example.com', {}, 'uuid-1'));
      for (const id of ['msg_1', 'msg_2'])
        assert.deepEqual((await post(gate, body, signed(body, WHSEC, service.clock.now, id))).body, {});
      const again = await ask(supabaseEvent('ret@example.com', {}, 'uuid-2'));
      assert.deepEqual(again.body, {
        error: { http_code: 403, message: 'Your invite has already been used.' },
      });
    });

    it('takes the code from the metadata of the user, for the right email only', async () => {
      const { code } = await list.invite('cod@example.com');
      const other = await ask(supabaseEvent('eve@example.com', { invite_code: code }));
      assert.deepEqual(other.body, { error: { http_code: 403, message: NOT_INVITED } });
      const odd = await ask(supabaseEvent('cod@example.com', { invite_code: 7 }));
      assert.deepEqual(odd.body, { error: { http_code: 400, message: 'code: must be a string' } });
      assert.deepEqual((await ask(supabaseEvent('cod@example.com', { invite_code: code }))).body, {});
    });

    it('turns away users without an email, and bodies it does not understand', async () => {
      const problems: [string, string][] = [
        [JSON.stringify(supabaseEvent(undefined)), 'email: is required'],
        [JSON.stringify(supabaseEvent('')), 'email: not an email address'],
        ['{}', 'email: is required'],
        ['[]', 'email: is required'],
        ['{', 'body: is not valid JSON'],
      ];
      for (const [body, message] of problems) {
        const answer = await post(gate, body, signed(body));
        assert.deepEqual([answer.status, answer.body], [200, { error: { http_code: 400, message } }], body);
      }
    });

    it('takes only what was signed with the secret, a few minutes ago at most', async () => {
      const { code } = await list.invite('sig@example.com');
      const body = JSON.stringify(supabaseEvent('sig@example.com'));
      const { now } = service.clock;
      const other = JSON.stringify(supabaseEvent('sig@example.com', {}, 'other'));
      const refused: Record<string, Record<string, string>> = {
        none: {},
        'another secret': signed(body, 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD'),
        'another body': signed(other),
        'too old': signed(body, WHSEC, now - 301_000),
        'too new': signed(body, WHSEC, now + 302_000),
      };
      for (const [what, headers] of Object.entries(refused)) {
        const answer = await post(gate, body, headers);
        assertError(answer, 401, 'unauthorized', /^the signature is wrong/);
        assert.equal((await service.check(code)).body.valid, true, what);
      }
      const plain = gate.replace('?shape=supabase', '');
      for (const path of [plain, `${plain}?shape=auth0`])
        assertError(await post(path, body, signed(body)), 401, 'unauthorized', /is not signed/);
      const unsigned = `${await list.gate()}?shape=supabase`;
      assertError(await post(unsigned, body, signed(body)), 401, 'unauthorized', /no signing secret/);
      const several = signed(body);
      several['webhook-signature'] = `v1,${'A'.repeat(43)}=, ${several['webhook-signature']}`;
      assert.deepEqual((await post(gate, body, several)).body, {});
    });
  });

  describe('the gate for WorkOS', () => {
    let gate: string;
    before(async () => {
      gate = `${await list.gate({ secret: WORKOS_SECRET })}?shape=workos`;
    });
    const hmac = (text: string, secret: string) => createHmac('sha256', secret).update(text).digest('hex');
    const signed = (body: string, secret = WORKOS_SECRET, at = service.clock.now) => ({
      'workos-signature': `t=${at}, v1=${hmac(`${at}.${body}`, secret)}`,
    });
    /** Returns the payload of an answer that is signed as WorkOS wants it. */
    const ask = async (event: object) => {
      const body = JSON.stringify(event);
      const answer = await post(gate, body, signed(body));
      assert.equal(answer.status, 200, answer.text);
      const { object, payload, signature } = answer.body;
      assert.equal(object, 'user_registration_action_response');
      assert.equal(signature, hmac(`${service.clock.now}.${JSON.stringify(payload)}`, WORKOS_SECRET));
      return payload;
    };

    it('answers with a signed verdict, the same for the same action', async () => {
      await list.invite('jane@example.com');
      const allowed = { timestamp: service.clock.now, verdict: 'Allow' };
      const denied = { timestamp: service.clock.now, verdict: 'Deny' };
      for (let i = 0; i < 2; i += 1) assert.deepEqual(await ask(workosEvent('jane@example.com')), allowed);
      assert.deepEqual(await ask(workosEvent('jane@example.com', 'another')), {
        ...denied,
        error_message: 'Your invite has already been used.',
      });
      assert.deepEqual(await ask(workosEvent('joe@example.com')), { ...denied, error_message: NOT_INVITED });
      const unknown = { ...denied, error_message: 'email: is required' };
      assert.deepEqual(await ask(workosEvent(undefined)), unknown);
      assert.deepEqual(await ask({ object: 'authentication_action_context', user: {} }), unknown);
    });

    it('takes only what was signed with the secret, a few minutes ago at most', async () => {
      const { code } = await list.invite('jill@example.com');
      const body = JSON.stringify(workosEvent('jill@example.com'));
      const { now } = service.clock;
      const bad = [{}, signed(body, 'x'), signed(`${body} `), signed(body, WORKOS_SECRET, now - 180_001)];
      const late = { 'workos-signature': `${signed(body)['workos-signature']}00` };
      for (const headers of [...bad, signed(body, WORKOS_SECRET, now + 180_001), late])
        assertError(await post(gate, body, headers), 401, 'unauthorized', /^the signature is wrong/);
      assert.equal((await service.check(code)).body.valid, true);
    });
  });

  describe('the gate for code at Auth0 and Kinde', () => {
    it('reads the events of both', async () => {
      const gate = await list.gate();
      const ask = async (shape: string, event: object) =>
        (await post(`${gate}?shape=${shape}`, JSON.stringify(event), {})).body;
      const { code } = await list.invite('ann@example.com');
      await list.invite('kim@example.com');
      const user = { email: 'ann@example.com', user_metadata: { invite_code: code } };
      const auth0 = {
        user,
        transaction: { state: 'ü'.repeat(300) },
        connection: { name: 'db' },
        request: { ip: '::1' },
      };
      const kinde = {
        request: { ip: '::1', authUrlParams: { state: 's2' } },
        context: { user: { email: 'kim@example.com' }, workflow: { trigger: 'user:pre_registration' } },
      };
      for (let i = 0; i < 2; i += 1) {
        assert.deepEqual(await ask('auth0', auth0), { allow: true });
        assert.deepEqual(await ask('kinde', kinde), { allow: true });
      }
      const denied = { allow: false, reason: 'not_invited', message: NOT_INVITED };
      assert.deepEqual(await ask('auth0', { user: { email: 'bob@example.com' } }), denied);
      assert.deepEqual(await ask('kinde', { context: { user: { email: 'bob@example.com' } } }), denied);
      const used = { allow: false, reason: 'already_used', message: 'Your invite has already been used.' };
      assert.deepEqual(await ask('auth0', { user }), used);
      const unknown = { allow: false, reason: 'not_invited', message: 'email: is required' };
      assert.deepEqual(await ask('kinde', { context: {} }), unknown);
    });

    it('repeats its answer for the same state only for the email as it was typed, and for ten minutes', async () => {
      const gate = await list.gate();
      const questions: Record<string, (email: string, state: string) => object> = {
        auth0: (email, state) => ({ user: { email }, transaction: { state } }),
        kinde: (email, state) => ({ request: { authUrlParams: { state } }, context: { user: { email } } }),
      };
      for (const [shape, question] of Object.entries(questions)) {
        const ask = async (email: string, state = 'chosen') =>
          (await post(`${gate}?shape=${shape}`, JSON.stringify(question(email, state)), {})).body;
        const used = { allow: false, reason: 'already_used', message: 'Your invite has already been used.' };
        const email = `${shape}@example.com`;
        await list.invite(email);
        for (let i = 0; i < 2; i += 1) assert.deepEqual(await ask(email), { allow: true }, shape);
        for (const spelling of [email.toUpperCase(), ` ${email}`, email.replace('example', 'Example')])
          assert.deepEqual(await ask(spelling), used, spelling);
        assert.deepEqual(await ask(email, 'another'), used);
        service.clock.advance(600_000);
        assert.deepEqual(await ask(email), { allow: true });
        service.clock.advance(1);
        assert.deepEqual(await ask(email), used);
        await list.invite(email);
        assert.deepEqual(await ask(email), { allow: true }, 'somebody who was invited again');
      }
    });
  });

  describe('a gate that cannot know', () => {
    const UNKNOWN = 'Your invite could not be checked. Try again in a moment.';

    it('denies in the words of the provider, and answers others with an error', async (test) => {
      const other = await startService(engine);
      test.after(() => other.close());
      const open = await other.waitlist();
      const [plain, supabase, workos] = [
        await open.gate(),
        await open.gate({ secret: WHSEC }),
        await open.gate({ secret: WORKOS_SECRET }),
      ];
      await open.invite('a@example.com');
      await other.drain();
      const ask = (path: string) => other.request('POST', path, { body: {} });
      assertError(await ask(plain), 503, 'unavailable');
      assertError(await ask(`${workos}?shape=workos`), 503, 'unavailable'); // Before it knows the secret.
      const denied = { allow: false, reason: 'not_invited', message: UNKNOWN };
      for (const shape of ['auth0', 'kinde'])
        assert.deepEqual((await ask(`${plain}?shape=${shape}`)).body, denied);
      assert.deepEqual((await ask(`${supabase}?shape=supabase`)).body, {
        error: { http_code: 503, message: UNKNOWN },
      });
    });

    it('denies when the stored invite cannot be decrypted', async () => {
      const broken = await service.waitlist();
      const { id } = await broken.queue();
      await broken.invite('a@example.com');
      await service.context.db.query
        .updateTable('invite')
        .set({ sealed: Buffer.alloc(80) })
        .where('queue_id', '=', id)
        .execute();
      const gate = await broken.gate();
      const body = { user: { email: 'a@example.com' } };
      assertError(
        await service.request('POST', gate, { body: { email: 'a@example.com' } }),
        500,
        'internal_error',
      );
      const answer = await service.request('POST', `${gate}?shape=auth0`, { body });
      assert.deepEqual(answer.body, { allow: false, reason: 'not_invited', message: UNKNOWN });
      const rows = await service.context.db.query
        .selectFrom('invite')
        .select('accepted_at')
        .where('queue_id', '=', id)
        .execute();
      assert.deepEqual(rows, [{ accepted_at: null }]);
    });

    it('denies above the limit of its key, and counts wrong keys by address', async (test) => {
      const limited = await startService(engine, {
        environment: { DOORLIST_RATE_LIMIT_KEY: '2', DOORLIST_RATE_LIMIT_AUTH_FAILURES: '1' },
      });
      test.after(() => limited.close());
      const gate = await (await limited.waitlist()).gate();
      const ask = (path: string) => limited.request('POST', path, { body: { email: 'a@example.com' } });
      assert.equal((await ask(gate)).status, 200);
      assert.equal((await ask(`${gate}?shape=auth0`)).status, 200);
      assertError(await ask(gate), 429, 'rate_limited');
      const denied = { allow: false, reason: 'not_invited', message: UNKNOWN };
      assert.deepEqual((await ask(`${gate}?shape=auth0`)).body, denied);
      assertError(await ask('/gate/v1/x'), 401, 'unauthorized');
      assertError(await ask('/gate/v1/x'), 429, 'rate_limited');
    });
  });
});
