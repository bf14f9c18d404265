import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type AdminClient, adminClient, succeeded } from '../support/admin.ts';
import { adminDocumentOf, operationsOf } from '../support/documented.ts';
import { everyChange, type Prepare } from '../support/every-change.ts';
import {
  type Answer,
  assertError,
  forEachEngine,
  type List,
  type Service,
  startService,
} from '../support/harness.ts';
import { LOOPBACK } from '../support/webhooks.ts';

/** Every change of settings and plans, and another one of the same. */
const SETTINGS: Record<string, unknown> = {
  updateWaitlist: { closed: false },
  updateMailSettings: { footer: 'Acme Inc.' },
  saveMailTemplate: { subject: 'Hi', body: 'Hi.' },
  updateMailSending: { warmUp: { start: 50, to: 500 } },
  updateForm: { headline: 'Join us' },
  updateInstance: { defaultTimeZone: 'Asia/Tokyo' },
  updateRoles: { support: { move: true } },
  updateAlerts: { emails: false },
  updateWebhookEndpoint: { description: 'Backend' },
  updateCode: { limit: 5 },
  updateWave: { name: 'Evenings' },
};

forEachEngine('locks', (engine) => {
  describe('a change with If-Match', () => {
    let service: Service;
    let admin: AdminClient;
    let methods: Map<string, { method: string; takesTag: boolean; path: string }>;
    before(async () => {
      service = await startService(engine, {
        environment: { ...LOOPBACK, DOORLIST_PUBLIC_URL: 'https://doorlist.example' },
      });
      admin = await adminClient(service);
      const document = await adminDocumentOf(service);
      methods = new Map(
        operationsOf(document).map(({ method, path, operation: { operationId, parameters = [] } }) => [
          operationId,
          {
            method: method.toUpperCase(),
            path,
            takesTag: parameters.some(({ name }) => name === 'If-Match'),
          },
        ]),
      );
    });
    after(() => service.close());

    const changes = everyChange(() => ({ service, admin }));
    const prepare = (operation: string, list: List) => (changes[operation] as Prepare)(list);
    const change = (operation: string, path: string, body: unknown, tag?: string): Promise<Answer> =>
      admin.request(methods.get(operation)?.method ?? '', path, {
        body,
        headers: tag === undefined ? {} : { 'if-match': tag },
      });
    const tagAt = async (path: string) => {
      const answer = await admin.get(path);
      assert.equal(answer.status, 200, answer.text);
      return answer.headers.get('etag') ?? assert.fail(`${path} has no ETag`);
    };

    it('is possible for settings and plans', () => {
      const taking = [...methods].filter(([, { takesTag }]) => takesTag).map(([operation]) => operation);
      assert.deepEqual(taking.sort(), [...Object.keys(SETTINGS), 'resetMailTemplate'].sort());
    });

    for (const [operation, other] of Object.entries(SETTINGS)) {
      it(`lets ${operation} change only what nobody else has changed`, async () => {
        const { path, body } = await prepare(operation, await service.waitlist());
        const seen = await tagAt(path);
        assert.equal(await tagAt(path), seen, 'the tag depends on something else');
        const changed = await change(operation, path, body, seen);
        assert.equal(changed.status, 200, changed.text);
        const next = await tagAt(path);
        assert.notEqual(next, seen);
        assert.equal(changed.headers.get('etag'), next);
        assertError(await change(operation, path, other, seen), 412, 'changed_meanwhile');
        assert.equal(await tagAt(path), next, 'it was changed nevertheless');
        assert.equal((await change(operation, path, other, `W/${seen}, W/${next}`)).status, 200);
      });

      it(`lets one of many through that ${operation} at the same time`, async () => {
        const { path, body } = await prepare(operation, await service.waitlist());
        // Some belong to the installation, and are as the last test left them.
        if (!path.startsWith('/waitlists')) succeeded(await change(operation, path, other));
        const seen = await tagAt(path);
        const answers = await Promise.all(
          Array.from({ length: 4 }, () => change(operation, path, body, seen)),
        );
        const statuses = answers.map(({ status }) => status).sort();
        assert.deepEqual(statuses, [200, 412, 412, 412]);
      });
    }

    it('is not refused for what goes on by itself', async () => {
      const list = await service.waitlist();
      const paths = [`/waitlists/${list.id}`, `/waitlists/${list.id}/mail/sending`];
      const before = await Promise.all(paths.map(tagAt));
      await list.signup({ email: 'ada@example.com' });
      succeeded(await admin.post(`/waitlists/${list.id}/invites`, { email: 'ada@example.com' }), 201);
      assert.deepEqual(await Promise.all(paths.map(tagAt)), before);
    });

    it('changes nothing of a boost, or all of it', async () => {
      const list = await service.waitlist({ boost: 5 });
      await list.signup(
        { email: 'ada@example.com' },
        { email: 'bob@example.com', referredBy: 'ada@example.com' },
      );
      const path = `/waitlists/${list.id}`;
      const seen = await tagAt(path);
      assert.equal((await change('updateWaitlist', path, { boost: 7 }, seen)).status, 200);
      assertError(await change('updateWaitlist', path, { boost: 9 }, seen), 412, 'changed_meanwhile');
      await service.runJobs();
      const { body } = await admin.get<{ boost: number }>(path);
      assert.equal(body.boost, 7);
    });

    it('has an ETag that we make, or any', async () => {
      const path = `/waitlists/${(await service.waitlist()).id}`;
      for (const tag of ['x', '"x', '"a" "b"', '"a", b'])
        assertError(await change('updateWaitlist', path, { name: 'New' }, tag), 400, 'invalid_request');
      assert.equal((await change('updateWaitlist', path, { name: 'New' }, '*')).status, 200);
    });

    it('that is wrong otherwise is refused for that', async () => {
      const path = `/waitlists/${(await service.waitlist()).id}`;
      assertError(
        await change('updateWaitlist', path, { boost: -1 }, await tagAt(path)),
        400,
        'invalid_request',
      );
      assertError(
        await change('updateWaitlist', '/waitlists/wl_none', { boost: 1 }, '"x"'),
        404,
        'not_found',
      );
    });
  });
});
