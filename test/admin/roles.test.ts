import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ROLES, type Role } from '../../src/operators/roles.ts';
import { adminDocumentOf, operationsOf } from '../support/documented.ts';
import { assertError, forEachEngine, type Service, startService } from '../support/harness.ts';
import { type Browser, browserOf, join, setUp } from '../support/operators.ts';

interface Route {
  method: string;
  url: string;
  role: Role | 'anyone';
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
      person: security.length === 1,
      body: example?.value,
    };
  });
}

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
      status === 401 || (status === 403 && code === 'forbidden' && /^this requires/.test(String(message)));

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
          const allowed = ROLES.indexOf(role) >= ROLES.indexOf(route.role);
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
          const allowed = !route.person && ROLES.indexOf(role) >= ROLES.indexOf(route.role);
          assert.equal(
            isRefused(answer.status, code, message),
            !allowed,
            `${role} ${route.method} ${route.url}: ${answer.text}`,
          );
        }
      });
    }

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
