import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { Auth, type AuthConfig, skipCSRFCheck } from '@auth/core';
import type { Adapter } from '@auth/core/adapters';
import { betterAuth } from 'better-auth';
import { memoryAdapter } from 'better-auth/adapters/memory';
import { gateSignIn } from '../packages/client/src/auth-js.ts';
import { doorlistGate } from '../packages/client/src/better-auth.ts';
import { askGate, type GateOptions } from '../packages/client/src/gate.ts';
import { type List, type Service, startService } from './support/harness.ts';

const SECRET = 'a secret that is long enough for every library';
const SITE = 'https://acme.example';

describe('the gate in libraries', () => {
  let service: Service;
  let list: List;
  let gate: GateOptions;
  before(async () => {
    service = await startService('sqlite');
    list = await service.waitlist();
    gate = { url: service.url + (await list.gate()) };
  });
  after(() => service.close());
  const unreachable = () => ({ ...gate, retries: 0, fetch: () => Promise.reject(new Error('offline')) });

  describe('of the client', () => {
    it('answers, repeats a lost answer, and throws when there is none', async () => {
      await list.invite('once@example.com');
      let calls = 0;
      const lossy: typeof fetch = async (...request) => {
        const response = await fetch(...request);
        calls += 1;
        if (calls === 1) throw new Error('the answer was lost');
        return response;
      };
      const options = { ...gate, fetch: lossy, retryDelayMs: 1 };
      assert.equal((await askGate(options, { email: 'once@example.com' })).allow, true);
      assert.equal(calls, 2);
      const again = await askGate(gate, { email: 'once@example.com' });
      assert.partialDeepStrictEqual(again, { allow: false, reason: 'already_used' });
      await assert.rejects(askGate(unreachable(), { email: 'a@example.com' }), { code: 'network_error' });
      const deleted = { ...gate, url: `${service.url}/gate/v1/dlg_x` };
      await assert.rejects(askGate(deleted, { email: 'a@example.com' }), { code: 'unauthorized' });
      assert.throws(() => askGate({ url: service.url }, { email: 'a@example.com' }), /^TypeError: url:/);
    });
  });

  describe('of Better Auth', () => {
    const open = (options: GateOptions) => {
      const database = { user: [], session: [], account: [], verification: [] };
      const auth = betterAuth({
        baseURL: SITE,
        secret: SECRET,
        telemetry: { enabled: false },
        logger: { disabled: true },
        rateLimit: { enabled: false },
        database: memoryAdapter(database),
        emailAndPassword: { enabled: true },
        plugins: [doorlistGate(options)],
      });
      const signUp = async (email: string, more: object = {}) => {
        const body = JSON.stringify({ email, name: 'Ada', password: 'analytical engine', ...more });
        const response = await auth.handler(
          new Request(`${SITE}/api/auth/sign-up/email`, {
            method: 'POST',
            headers: { 'content-type': 'application/json', origin: SITE },
            body,
          }),
        );
        return { status: response.status, body: (await response.json()) as Record<string, string> };
      };
      const emails = () => database.user.map(({ email }) => email);
      return { signUp, emails };
    };

    it('lets an invited person register, and nobody else', async () => {
      const { signUp, emails } = open(gate);
      const refused = await signUp('eve@example.com');
      assert.deepEqual(refused, {
        status: 403,
        body: { code: 'INVITE_NOT_INVITED', message: 'This email address has not been invited yet.' },
      });
      assert.deepEqual(emails(), []);
      await list.invite('ada@example.com');
      assert.equal((await signUp('ada@example.com')).status, 200);
      assert.deepEqual(emails(), ['ada@example.com']);
    });

    it('takes the code from the body, for the invited email only', async () => {
      const { signUp, emails } = open(gate);
      const { code } = await list.invite('bob@example.com');
      assert.equal((await signUp('eve@example.com', { inviteCode: code })).status, 403);
      assert.equal((await signUp('bob@example.com', { inviteCode: 'another' })).status, 403);
      assert.equal((await signUp('bob@example.com', { inviteCode: code })).status, 200);
      assert.deepEqual(emails(), ['bob@example.com']);
    });

    it('lets nobody register without an answer', async () => {
      await list.invite('cat@example.com');
      const { signUp, emails } = open(unreachable());
      const { status, body } = await signUp('cat@example.com');
      assert.deepEqual([status, body.code, emails()], [403, 'INVITE_UNKNOWN', []]);
    });
  });

  describe('of Auth.js', () => {
    /** Signs in by email, and opens the link. */
    const open = (options: GateOptions & { redirectTo?: (denial: { reason: string }) => string }) => {
      const adapter = memoryStore();
      let link = '';
      const config: AuthConfig = {
        adapter,
        basePath: '/auth',
        secret: SECRET,
        trustHost: true,
        skipCSRFCheck,
        logger: { error: () => {}, warn: () => {}, debug: () => {} },
        providers: [
          {
            id: 'email',
            type: 'email',
            name: 'Email',
            from: 'acme@example.com',
            maxAge: 60,
            sendVerificationRequest: ({ url }) => {
              link = url;
            },
          },
        ],
        callbacks: { signIn: gateSignIn({ ...options, adapter }) },
      };
      const signIn = async (email: string) => {
        await Auth(
          new Request(`${SITE}/auth/signin/email`, { method: 'POST', body: new URLSearchParams({ email }) }),
          config,
        );
        const response = await Auth(new Request(link), config);
        return new URL(response.headers.get('location') ?? '', SITE);
      };
      return { signIn, emails: () => adapter.emails() };
    };

    it('lets an invited person register, and sign in again, and nobody else', async () => {
      const { signIn, emails } = open(gate);
      assert.equal((await signIn('eve@example.com')).searchParams.get('error'), 'AccessDenied');
      assert.deepEqual(emails(), []);
      await list.invite('dan@example.com');
      for (let i = 0; i < 2; i += 1)
        assert.equal((await signIn('dan@example.com')).searchParams.get('error'), null);
      assert.deepEqual(emails(), ['dan@example.com']);
    });

    it('sends people where the product says, also without an answer', async () => {
      const redirectTo = ({ reason }: { reason: string }) => `${SITE}/waitlist?why=${reason}`;
      const denied = await open({ ...gate, redirectTo }).signIn('eve@example.com');
      assert.equal(denied.href, `${SITE}/waitlist?why=not_invited`);
      await list.invite('fay@example.com');
      const { signIn, emails } = open({ ...unreachable(), redirectTo });
      assert.equal((await signIn('fay@example.com')).href, `${SITE}/waitlist?why=unavailable`);
      assert.deepEqual(emails(), []);
    });
  });
});

describe('the gate in code at a provider', () => {
  let service: Service;
  let list: List;
  let gate: string;
  before(async () => {
    service = await startService('sqlite');
    list = await service.waitlist();
    gate = service.url + (await list.gate());
  });
  after(() => service.close());

  it('is asked by the Action for Auth0, which lets in only invited people', async () => {
    const exports: { onExecutePreUserRegistration?: (event: object, api: object) => Promise<void> } = {};
    new Function('exports', snippetOf('onExecutePreUserRegistration'))(exports);
    const register = async (email: string, url: string) => {
      const denials: string[][] = [];
      const api = { access: { deny: (...why: string[]) => denials.push(why) } };
      await exports.onExecutePreUserRegistration?.({ user: { email }, secrets: { GATE_URL: url } }, api);
      return denials.flat();
    };
    await list.invite('ann@example.com');
    const url = `${gate}?shape=auth0`;
    const [unavailable] = await register('ann@example.com', 'http://127.0.0.1:9/');
    assert.equal(unavailable, 'unavailable');
    assert.deepEqual(await register('ann@example.com', url), []);
    const denied = ['not_invited', 'This email address has not been invited yet.'];
    assert.deepEqual(await register('bob@example.com', url), denied);
    assert.equal((await register('bob@example.com', `${url}&x`.replace('dlg_', 'dlg_x'))).length, 2);
  });

  it('is asked by the workflow for Kinde, which lets in only invited people', async () => {
    const code = snippetOf('user:pre_registration')
      .replace(/^import .*$/m, '')
      .replace(/^export const .*?^};$/ms, '')
      .replace('export default', 'return');
    const register = async (email: string, url: string) => {
      const denials: string[] = [];
      /** As the one of Kinde's library. */
      const kindeFetch = async (to: string, { body, ...options }: RequestInit & { body: object }) => {
        const response = await fetch(to, { ...options, body: JSON.stringify(body) });
        return { data: await response.json() };
      };
      const parameters = ['denyAccess', 'fetch', 'getEnvironmentVariable'];
      const values = [(why: string) => denials.push(why), kindeFetch, () => ({ value: url })];
      const workflow = new Function(...parameters, code)(...values) as (event: object) => Promise<void>;
      await workflow({ request: { authUrlParams: { state: 's' } }, context: { user: { email } } });
      return denials;
    };
    await list.invite('kim@example.com');
    const url = `${gate}?shape=kinde`;
    assert.deepEqual(await register('kim@example.com', url), []);
    assert.deepEqual(await register('bob@example.com', url), [
      'This email address has not been invited yet.',
    ]);
    assert.equal((await register('bob@example.com', url.replace('dlg_', 'dlg_x'))).length, 1);
    await assert.rejects(register('kim@example.com', 'http://127.0.0.1:9/'));
  });
});

/** The block of docs/gate.md that has this in it. */
function snippetOf(text: string): string {
  const blocks = [...readFileSync('docs/gate.md', 'utf8').matchAll(/```js\n(.*?)```/gs)];
  const [found] = blocks.flatMap(([, code = '']) => (code.includes(text) ? [code] : []));
  assert.ok(found);
  return found;
}

/** Only what signing in by email needs. */
function memoryStore(): Adapter & { emails(): string[] } {
  const users = new Map<string, { id: string; email: string; emailVerified: Date | null }>();
  const tokens = new Map<string, { identifier: string; token: string; expires: Date }>();
  return {
    emails: () => [...users.keys()],
    createUser: async ({ email, emailVerified }) => {
      const user = { id: `u${users.size}`, email, emailVerified };
      users.set(email, user);
      return user;
    },
    getUser: async (id) => [...users.values()].find((user) => user.id === id) ?? null,
    getUserByEmail: async (email) => users.get(email) ?? null,
    getUserByAccount: async () => null,
    updateUser: async (change) => {
      const [user] = [...users.values()].filter(({ id }) => id === change.id);
      assert.ok(user);
      return Object.assign(user, change);
    },
    createSession: async (session) => session,
    createVerificationToken: async (token) => {
      tokens.set(token.token, token);
      return token;
    },
    useVerificationToken: async ({ token }) => {
      const found = tokens.get(token) ?? null;
      tokens.delete(token);
      return found;
    },
  };
}
