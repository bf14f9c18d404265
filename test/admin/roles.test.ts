import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { OPERATIONS } from '../../src/operations/all.ts';
import { type Access, DUTIES, type Duty } from '../../src/operators/duties.ts';
import { ROLES, type Role } from '../../src/operators/roles.ts';
import { adminDocumentOf, operationsOf } from '../support/documented.ts';
import { assertError, forEachEngine, type Service, startService } from '../support/harness.ts';
import { type Browser, browserOf, join, setUp } from '../support/operators.ts';

interface Route {
  method: string;
  url: string;
  role: Role | 'anyone';
  /** What support needs where its role is not enough. */
  support: Access['support'];
  person: boolean;
  body: unknown;
}

/** Every route of the admin API, from the document that the service itself makes of its routes. */
async function routesOf(service: Service): Promise<Route[]> {
  const document = await adminDocumentOf(service);
  return operationsOf(document).map(({ path, method, operation }) => {
    const { security, description, parameters = [], requestBody } = operation;
    const [example] = Object.values(requestBody?.content['application/json']?.examples ?? {});
    const named = /Requires the `(\w+)` role/.exec(description)?.[1] as Role | undefined;
    const url = parameters
      .filter((parameter) => parameter.in === 'path')
      .reduce((text, { name }) => text.replace(`{${name}}`, 'none'), path);
    return {
      method: method.toUpperCase(),
      // A stream that is let in would not end; one of an unknown waitlist does.
      url: path.endsWith('/stream') ? `${url}?waitlist=wl_none` : url,
      role: security.length === 0 ? 'anyone' : (named ?? 'viewer'),
      support: OPERATIONS.find(({ id }) => id === operation.operationId)?.support,
      person: security.length === 1,
      body: example?.value,
    };
  });
}

/** Whether the route lets a role in while support has all duties. */
function isFor(role: Role, route: Route): boolean {
  const needed = route.support === undefined ? route.role : 'support';
  return ROLES.indexOf(role) >= ROLES.indexOf(needed as Role);
}

/** What to send to need only this duty, for each field that does. */
function bodiesFor({ support, body }: Route, duty: Duty): unknown[] {
  if (support === duty) return [body];
  if (typeof support !== 'object') return [];
  const fields = Object.keys(support).filter((field) => support[field] === duty);
  return fields.map((field) => ({ [field]: SAMPLES[field] ?? 'x@example.com' }));
}

/** Of fields that are no texts. */
const SAMPLES: Readonly<Record<string, unknown>> = { metadata: {}, position: 1, status: 'waiting' };

forEachEngine((engine) => {
  describe('roles', () => {
    let service: Service;
    let routes: Route[];
    const browsers = new Map<Role, Browser>();
    const tokens = new Map<Role, string>();
    before(async () => {
      service = await startService(engine);
      routes = await routesOf(service);
      const owner = await setUp(service);
      browsers.set('owner', owner);
      for (const role of ROLES) {
        if (role !== 'owner') browsers.set(role, await join(service, owner, role, `${role}@example.com`));
        const made = await owner.post<{ token: string }>('/tokens', { name: role, role });
        tokens.set(role, made.body.token);
      }
    });
    after(() => service.close());

    /** What a role is refused; a call that is let in may fail later, for its path leads nowhere. */
    const isRefused = (status: number, code: unknown, message: unknown) =>
      status === 401 ||
      (status === 403 && code === 'forbidden' && /^(\w+: changing it|this) requires/.test(String(message)));

    it('are stated by every route, and there are routes', () => {
      assert.ok(routes.length >= 20, String(routes.length));
    });

    it('keep strangers out of everything but setting up and signing in', async () => {
      const open = routes
        .filter(({ role }) => role === 'anyone')
        .map(({ method, url }) => `${method} ${url}`);
      assert.deepEqual(open.sort(), [
        'POST /admin/v1/password',
        'POST /admin/v1/password/forgot',
        'POST /admin/v1/session',
        'POST /admin/v1/session/passkey',
        'POST /admin/v1/session/passkey/options',
        'POST /admin/v1/setup',
      ]);
      for (const { method, url, role, body } of routes) {
        if (role === 'anyone') continue;
        assertError(await service.request(method, url, { body }), 401, 'unauthorized');
        for (const key of ['x', `dla_${'0'.repeat(34)}`, 'dl_live_x'])
          assertError(await service.request(method, url, { body, key }), 401, 'unauthorized');
        const cookie = `doorlist=${'0'.repeat(43)}`;
        assertError(await service.request(method, url, { body, headers: { cookie } }), 401, 'unauthorized');
      }
    });

    for (const role of ROLES) {
      it(`let ${role} in where the route says so, and nowhere else`, async () => {
        for (const route of routes) {
          // Those of the own account would end the session, or change it, under the next route.
          if (route.role === 'anyone' || (route.person && route.method !== 'GET')) continue;
          const answer = await (browsers.get(role) as Browser).request(route.method, route.url, {
            body: route.body,
          });
          const { code, message } = (answer.body ?? {}) as Record<string, unknown>;
          const allowed = isFor(role, route);
          assert.equal(
            isRefused(answer.status, code, message),
            !allowed,
            `${role} ${route.method} ${route.url}: ${answer.text}`,
          );
        }
      });

      it(`let a token with the role ${role} do the same, except for what needs a person`, async () => {
        for (const route of routes) {
          if (route.role === 'anyone') continue;
          const answer = await service.request(route.method, route.url, {
            body: route.body,
            key: tokens.get(role),
          });
          const { code, message } = (answer.body ?? {}) as Record<string, unknown>;
          const allowed = !route.person && isFor(role, route);
          assert.equal(
            isRefused(answer.status, code, message),
            !allowed,
            `${role} ${route.method} ${route.url}: ${answer.text}`,
          );
        }
      });
    }

    describe('and the duties of support', () => {
      const turn = (changes: Partial<Record<Duty, boolean>>) =>
        (browsers.get('owner') as Browser).patch('/instance/roles', { support: changes });
      const all = (on: boolean) => Object.fromEntries(DUTIES.map((duty) => [duty, on]));
      const isLetIn = async (route: Route, body: unknown, role: Role) => {
        const answers = await Promise.all([
          (browsers.get(role) as Browser).request(route.method, route.url, { body }),
          service.request(route.method, route.url, { body, key: tokens.get(role) }),
        ]);
        const [first, second] = answers.map(({ status, body: answer }) => {
          const { code, message } = (answer ?? {}) as Record<string, unknown>;
          return !isRefused(status, code, message);
        });
        assert.equal(first, second, `a session and a token of ${role}: ${route.method} ${route.url}`);
        return first;
      };
      after(() => turn(all(true)));

      for (const duty of DUTIES) {
        it(`${duty}: support has it, or not; admins always and viewers never`, async () => {
          const cases = routes.flatMap((route) => bodiesFor(route, duty).map((body) => ({ route, body })));
          // The only duty that is on, and the only one that is off.
          for (const on of [true, false]) {
            assert.equal((await turn({ ...all(!on), [duty]: on })).status, 200);
            for (const { route, body } of cases) {
              const told = `${duty} ${on ? 'on' : 'off'}: ${route.method} ${route.url} ${JSON.stringify(body)}`;
              assert.equal(await isLetIn(route, body, 'support'), on, told);
              assert.equal(await isLetIn(route, body, 'admin'), true, told);
              assert.equal(await isLetIn(route, body, 'viewer'), false, told);
            }
            for (const [role, may] of [
              ['owner', DUTIES],
              ['admin', DUTIES],
              ['support', DUTIES.filter((each) => (each === duty) === on)],
              ['viewer', []],
            ] as const) {
              const me = await (browsers.get(role) as Browser).get<{ may: Duty[] }>('/me');
              assert.deepEqual(me.body.may, may, role);
              const token = await service.request('GET', '/admin/v1/me', { key: tokens.get(role) });
              assert.deepEqual((token.body as { may: Duty[] }).may, may, role);
            }
          }
        });
      }

      it('have an operation each, but those of work that is not there yet', () => {
        const unused = DUTIES.filter((duty) => !routes.some((route) => bodiesFor(route, duty).length > 0));
        assert.deepEqual(
          unused.filter((duty) => duty !== 'decline'),
          [],
        );
      });

      it('never let support erase', async () => {
        await turn(all(true));
        const list = await service.waitlist();
        await list.signup({ email: 'ada@example.com' });
        const path = `/admin/v1/waitlists/${list.id}/entries`;
        const key = tokens.get('support');
        const { body } = await service.request<{ entries: { id: string }[] }>('GET', path, { key });
        const id = body.entries[0]?.id ?? assert.fail();
        const erase = await service.request('DELETE', `${path}/${id}?erase=true`, {
          body: { confirm: id },
          key,
        });
        assertError(erase, 403, 'forbidden');
        const removed = await service.request('DELETE', `${path}/${id}`, { body: {}, key });
        assert.equal(removed.status, 200, removed.text);
        const kept = await service.request<{ email: string }>('GET', `${path}/${id}`, { key });
        assert.equal(kept.body.email, 'ada@example.com');
      });

      it('are turned on and off by the owner alone, which is recorded', async () => {
        await turn(all(true));
        for (const role of ['admin', 'support', 'viewer'] as const) {
          const browser = browsers.get(role) as Browser;
          assertError(await browser.patch('/instance/roles', { support: { move: false } }), 403, 'forbidden');
          const { body } = await browser.get<{ support: Record<Duty, boolean> }>('/instance/roles');
          assert.equal(body.support.move, true);
        }
        assert.equal((await turn({ move: false })).status, 200);
        const { records } = (
          await (browsers.get('owner') as Browser).get<{
            records: { action: string; before: object; after: object }[];
          }>('/audit?limit=1')
        ).body;
        assert.deepEqual(
          records.map(({ action, before, after }) => ({ action, before, after })),
          [
            {
              action: 'instance.updated',
              before: { supportMay: DUTIES },
              after: { supportMay: DUTIES.filter((duty) => duty !== 'move') },
            },
          ],
        );
      });

      it('say which are unknown, and that something must be changed', async () => {
        for (const body of [{}, { support: {} }, { support: { erase: true } }, { support: { move: 'on' } }])
          assertError(
            await (browsers.get('owner') as Browser).patch('/instance/roles', body),
            400,
            'invalid_request',
          );
      });
    });

    it('refuse a write that a browser sends from another site, with a cookie or without', async () => {
      const owner = browsers.get('owner') as Browser;
      const strange: Record<string, string>[] = [
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
        { 'sec-fetch-site': '', origin: 'https://evil.example' },
      ];
      for (const { method, url, body } of routes.filter((route) => route.method !== 'GET')) {
        for (const headers of strange) {
          const answer = await owner.request(method, url, { body, headers });
          assertError(answer, 403, 'cross_site');
        }
      }
      const cookie = `doorlist=${owner.cookies.get('doorlist')}`;
      const byOrigin = (origin: string) =>
        service.request('DELETE', '/admin/v1/me/sessions', { headers: { cookie, origin } });
      for (const origin of ['null', 'https://evil.example', `${service.url}.evil.example`])
        assertError(await byOrigin(origin), 403, 'cross_site');
      assert.equal((await byOrigin(service.url)).status, 200);
      assert.equal(
        (await owner.request('GET', '/admin/v1/me', { headers: { 'sec-fetch-site': 'cross-site' } })).status,
        200,
      );
    });

    it('let a token write from anywhere: no browser sends it by itself', async () => {
      const answer = await service.request('POST', '/admin/v1/tokens', {
        key: tokens.get('owner'),
        headers: { 'sec-fetch-site': 'cross-site', origin: 'https://ci.example' },
        body: { name: 'ci', role: 'viewer' },
      });
      assert.equal(answer.status, 201, answer.text);
    });

    it('take effect at once when they change', async () => {
      const owner = browsers.get('owner') as Browser;
      const eve = await join(service, owner, 'admin', 'eve@example.com');
      const { operator } = (await eve.get<{ operator: { id: string } }>('/me')).body;
      assert.equal((await eve.get('/operators')).status, 200);
      await owner.patch(`/operators/${operator.id}`, { role: 'viewer' });
      assertError(await eve.get('/operators'), 403, 'forbidden');
      await owner.delete(`/operators/${operator.id}`);
      assertError(await eve.get('/me'), 401, 'unauthorized');
    });
  });

  describe('a stranger on the network, before anybody has set up', () => {
    it('finds health, the reference and sign-in, and nothing else', async (test) => {
      const service = await startService(engine);
      test.after(() => service.close());
      for (const path of [
        '/healthz',
        '/readyz',
        '/docs',
        '/docs/admin',
        '/docs/quick-start',
        '/llms.txt',
        '/openapi.json',
        '/admin/openapi.json',
      ])
        assert.equal((await fetch(service.url + path)).status, 200, path);
      for (const { method, url, role, body } of await routesOf(service)) {
        const { status } = await service.request(method, url, { body });
        const wanted = {
          '/admin/v1/setup': 404,
          '/admin/v1/session': 401,
          '/admin/v1/session/passkey': 401,
          '/admin/v1/session/passkey/options': 409,
          '/admin/v1/password': 410,
          '/admin/v1/password/forgot': 202,
        }[url];
        assert.equal(status, role === 'anyone' ? wanted : 401, `${method} ${url}`);
      }
      for (const path of ['/setup/x', '/password/x'])
        assert.ok((await fetch(service.url + path)).status >= 400, path);
      assert.equal((await browserOf(service).signIn('', '')).status, 401);
    });
  });
});
