import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import type { Static } from 'typebox';
import { parseId } from '../../src/lib/ids.ts';
import { verifyDelivery } from '../../src/webhooks/signing.ts';
import type { JobSchema } from '../../src/wire/job.ts';
import { type DocumentedClient, documentedClient } from '../support/documented-client.ts';
import { assertError, forEachEngine, type List, type RequestOptions } from '../support/harness.ts';
import { join, PASSWORD, setUp } from '../support/operators.ts';
import { type Receiver, startReceiver, status } from '../support/receiver.ts';
import { inState, startSending, until } from '../support/webhooks.ts';

type Job = Static<typeof JobSchema>;
interface Endpoint {
  id: string;
  url: string | null;
  secret?: string;
  events: string[];
  headers: string[];
  rateLimit: number | null;
  enabled: boolean;
  disabledReason: string | null;
  recentlyFailed: number;
}
interface Delivery {
  event: string;
  endpoint: string;
  kind: string;
  state: string;
}
interface Page {
  deliveries: Delivery[];
  nextCursor: string | null;
}
interface Details {
  event: string;
  state: string;
  request: { url: string | null; headers: Record<string, string | null>; body: string | null };
  attempts: { status: number; response: string | null; error: string | null }[];
}

forEachEngine((engine) => {
  describe('webhooks over the admin API', () => {
    let service: Awaited<ReturnType<typeof startSending>>;
    let admin: DocumentedClient;
    let list: List;
    let receiver: Receiver;
    before(async () => {
      service = await startSending(engine);
      admin = await documentedClient(service, 'admin');
      list = await service.waitlist();
      receiver = await startReceiver();
    });
    afterEach(async () => {
      receiver.answer = status(200);
      const all = await admin.call<{ webhooks: Endpoint[] }>('listWebhookEndpoints', 'GET', base());
      for (const { id } of all.body.webhooks) await remove(id);
    });
    after(async () => {
      await receiver.close();
      await service.close();
    });

    const base = () => `/waitlists/${list.id}/webhooks`;
    const create = (body: object, where = base()) =>
      admin.call<Endpoint & { secret: string }>('createWebhookEndpoint', 'POST', where, { body });
    const made = async (input: object = {}) => {
      const answer = await create({ url: receiver.url, ...input });
      assert.equal(answer.status, 201, answer.text);
      return answer.body;
    };
    const update = (id: string, body: object) =>
      admin.call<Endpoint>('updateWebhookEndpoint', 'PATCH', `${base()}/${id}`, { body });
    const remove = (id: string) => admin.call('deleteWebhookEndpoint', 'DELETE', `${base()}/${id}`);
    const deliveries = (id: string, query = '') =>
      admin.call<Page>('listDeliveries', 'GET', `${base()}/${id}/deliveries${query}`);
    const details = (id: string, event: string) =>
      admin.call<Details>('getDelivery', 'GET', `${base()}/${id}/deliveries/${event}`);

    /** Ids of the same moment have no order. */
    const later = async <T>(work: Promise<T>): Promise<T> => {
      const result = await work;
      service.clock.advance(10);
      return result;
    };

    it('creates, shows, changes and deletes an endpoint, and audits each', async () => {
      const { secret, ...endpoint } = await made({
        description: 'CRM',
        events: ['signup.created'],
        headers: { Authorization: 'Bearer hunter2' },
        rateLimit: 50,
      });
      assert.match(secret, /^whsec_/);
      const found = await admin.call('getWebhookEndpoint', 'GET', `${base()}/${endpoint.id}`);
      assert.deepEqual(found.body, endpoint);
      assert.deepEqual(endpoint.headers, ['Authorization']);
      const all = await admin.call<{ webhooks: Endpoint[] }>('listWebhookEndpoints', 'GET', base());
      assert.deepEqual(all.body.webhooks, [endpoint]);
      const other = await admin.call<{ webhooks: Endpoint[] }>(
        'listWebhookEndpoints',
        'GET',
        `${base()}?environment=development`,
      );
      assert.deepEqual(other.body.webhooks, []);

      const changed = await update(endpoint.id, { enabled: false, rateLimit: null, events: [] });
      const { enabled, rateLimit, events, disabledReason, headers, url } = changed.body;
      assert.deepEqual(
        [enabled, rateLimit, events, disabledReason, headers, url],
        [false, null, [], 'disabled by an operator', ['Authorization'], receiver.url],
      );
      const { object, before: was, after: is, actor } = await admin.audited('webhook.updated');
      assert.deepEqual([object.id, actor.kind], [endpoint.id, 'token']);
      assert.deepEqual([was?.enabled, is?.enabled, was?.events], [true, false, ['signup.created']]);

      assert.deepEqual((await remove(endpoint.id)).body, { id: endpoint.id, deleted: true });
      assertError(await remove(endpoint.id), 404, 'not_found');
      for (const action of ['webhook.created', 'webhook.deleted'])
        assert.equal((await admin.audited(action)).object.id, endpoint.id, action);
      const trail = await service.request('GET', '/admin/v1/audit?limit=200', { key: admin.key });
      for (const hidden of [secret, 'hunter2']) assert.ok(!trail.text.includes(hidden), hidden);
    });

    it('lists an endpoint whose settings are damaged as such, and lets it be disabled and deleted', async () => {
      const [broken, well] = [await later(made()), await made()];
      const sent = await admin.call<Details>('testWebhookEndpoint', 'POST', `${base()}/${broken.id}/test`);
      await inState(service.context, broken.id, 'delivered', 1);
      const { query } = service.context.db;
      const { id: queueId } = await list.queue();
      const damaged = Buffer.from('damaged');
      const id = parseId('whe', broken.id) ?? damaged;
      await query
        .updateTable('webhook_endpoint')
        .set({ sealed: damaged })
        .where('queue_id', '=', queueId)
        .where('id', '=', id)
        .execute();
      await query.updateTable('event').set({ body: damaged }).where('queue_id', '=', queueId).execute();
      await query
        .updateTable('delivery_attempt')
        .set({ response: damaged })
        .where('queue_id', '=', queueId)
        .execute();

      const all = await admin.call<{ webhooks: Endpoint[] }>('listWebhookEndpoints', 'GET', base());
      assert.deepEqual(
        all.body.webhooks.map(({ id: each, url, headers }) => [each, url, headers]),
        [
          [broken.id, null, []],
          [well.id, receiver.url, []],
        ],
      );
      const one = await admin.call<Endpoint>('getWebhookEndpoint', 'GET', `${base()}/${broken.id}`);
      assert.deepEqual([one.status, one.body.url], [200, null]);
      const { body: shown } = await details(broken.id, sent.body.event);
      assert.deepEqual([shown.request.url, shown.request.body], [null, null]);
      assert.deepEqual([shown.attempts[0]?.status, shown.attempts[0]?.response], [200, null]);
      const refused = [
        await update(broken.id, { url: receiver.url }),
        await admin.call('rotateWebhookSecret', 'POST', `${base()}/${broken.id}/rotate`, { body: {} }),
      ];
      for (const answer of refused)
        assertError(answer, 409, 'damaged', /^the settings of this endpoint are damaged: delete it/);
      assert.equal((await update(broken.id, { enabled: false })).body.enabled, false);
      assert.deepEqual((await remove(broken.id)).body, { id: broken.id, deleted: true });
      assertError(await remove(broken.id), 404, 'not_found');
    });

    it('counts what was given up in the last 7 days, as the health does', async () => {
      const endpoint = await made();
      assert.equal(endpoint.recentlyFailed, 0);
      await admin.call('testWebhookEndpoint', 'POST', `${base()}/${endpoint.id}/test`);
      await inState(service.context, endpoint.id, 'delivered', 1);
      await service.context.db.query
        .updateTable('delivery')
        .set({ delivered_at: null, failed_at: service.context.clock() })
        .where('channel', '=', 'webhook')
        .execute();
      const failed = async () => {
        const one = await admin.call<Endpoint>('getWebhookEndpoint', 'GET', `${base()}/${endpoint.id}`);
        const all = await admin.call<{ webhooks: Endpoint[] }>('listWebhookEndpoints', 'GET', base());
        const changed = await update(endpoint.id, { rateLimit: 50 });
        return [one.body, ...all.body.webhooks, changed.body].map(({ recentlyFailed }) => recentlyFailed);
      };
      assert.deepEqual(await failed(), [1, 1, 1]);
      service.clock.advance(8 * 24 * 3_600_000);
      assert.deepEqual(await failed(), [0, 0, 0]);
    });

    it('shows the URL that is called, however it was typed', async () => {
      const { port } = new URL(receiver.url);
      const { id, url } = await made({ url: `\t http://127.0.0.1:${port}\\@10.0.0.1/a\nb ` });
      assert.equal(url, `${receiver.url}/@10.0.0.1/ab`);
      for (const [typed, shown] of [
        [receiver.url, receiver.url],
        [`${receiver.url}/`, `${receiver.url}/`],
        [`HTTP://127.1:${port}/x y?é`, `${receiver.url}/x%20y?%C3%A9`],
      ])
        assert.equal((await update(id, { url: typed })).body.url, shown);
      assertError(await update(id, { url: `${receiver.url}/${'é'.repeat(1_000)}` }), 400, 'invalid_request');
    });

    it('records no change where nothing is given', async () => {
      const { id } = await made({});
      await update(id, {});
      const trail = await service.request('GET', '/admin/v1/audit?limit=200', { key: admin.key });
      const { records } = trail.body as { records: { action: string; object: { id: string } }[] };
      const ours = records.filter(({ object }) => object.id === id);
      assert.deepEqual(
        ours.map(({ action }) => action),
        ['webhook.created'],
      );
    });

    it('refuses bad settings by field, and stores nothing', async () => {
      const cases: [object, RegExp][] = [
        [{ url: 'ftp://example.com' }, /^url: /],
        [{ url: 'https://10.0.0.7/x' }, /^url: /],
        [{ url: 'http://127.0.0.1:99999/' }, /^url: has an invalid host or port$/],
        [{ url: 'example.com/hook' }, /^url: must be a URL that starts with https:/],
        [{ url: `https://example.com/${'x'.repeat(2048)}` }, /^url: is longer than 2048/],
        [{}, /^url: is required/],
        [{ url: receiver.url, events: ['signup.creatd'] }, /^events\[0\]: must be one of/],
        [
          { url: receiver.url, headers: { 'content-type': 'x' } },
          /^headers: content-type is set by Doorlist/,
        ],
        [{ url: receiver.url, headers: { 'bad header': 'x' } }, /^headers: bad header is not a header name/],
        [
          { url: receiver.url, headers: { a: 'x'.repeat(4097) } },
          /^headers: the value of a is longer than 4096 characters/,
        ],
        [{ url: receiver.url, headers: { a: 'é' } }, /^headers: the value of a must be printable ASCII/],
        [{ url: receiver.url, headers: { a: 1 } }, /^headers\.a: must be a string/],
        [{ url: receiver.url, rateLimit: 0 }, /^rateLimit: must be a whole number from 1 to 10000/],
        [{ url: receiver.url, description: 'x'.repeat(501) }, /^description: is longer than 500/],
        [{ url: receiver.url, secret: 'mine' }, /^secret: unknown field/],
      ];
      for (const [body, message] of cases) assertError(await create(body), 400, 'invalid_request', message);
      const all = await admin.call<{ webhooks: Endpoint[] }>('listWebhookEndpoints', 'GET', base());
      assert.deepEqual(all.body.webhooks, []);
      assertError(await create({ url: receiver.url }, '/waitlists/wl_none/webhooks'), 404, 'not_found');
      assertError(
        await create({ url: receiver.url }, `${base()}?environment=moon`),
        404,
        'not_found',
        'there is no environment moon',
      );
    });

    it('finds no endpoint of another waitlist or environment', async () => {
      const { id } = await made();
      const other = await service.waitlist();
      for (const path of [`/waitlists/${other.id}/webhooks/${id}`, `${base()}/${id}?environment=development`])
        assertError(await admin.call('getWebhookEndpoint', 'GET', path), 404, 'not_found');
    });

    it('rotates the secret, with and without an overlap', async () => {
      const { id, secret } = await made();
      const rotate = (body: object) =>
        admin.call<{ secret: string; previousEndsAt: string | null }>(
          'rotateWebhookSecret',
          'POST',
          `${base()}/${id}/rotate`,
          { body },
        );
      const first = await rotate({ overlapMs: 60_000 });
      assert.notEqual(first.body.secret, secret);
      assert.equal(first.body.previousEndsAt, new Date(service.clock.now + 60_000).toISOString());
      assert.equal((await rotate({ overlapMs: 0 })).body.previousEndsAt, null);
      assertError(await rotate({ overlapMs: -1 }), 400, 'invalid_request', /^overlapMs: /);
      assert.equal((await admin.audited('webhook.secret_rotated')).object.id, id);
    });

    it('shows support where an endpoint is, but not its path and query, which may contain a password', async () => {
      const support = await documentedClient(service, 'support');
      receiver.answer = status(500);
      const url = `${receiver.url}/services/T0/hunter2?token=hunter3`;
      const { id } = await made({ url, description: 'CRM' });
      const { event } = (await admin.call<Details>('testWebhookEndpoint', 'POST', `${base()}/${id}/test`))
        .body;
      await service.context.db.query.updateTable('webhook_endpoint').set({ failing_since: 0 }).execute();
      const paths = {
        listWebhookEndpoints: base(),
        getWebhookEndpoint: `${base()}/${id}`,
        getDelivery: `${base()}/${id}/deliveries/${event}`,
        getHealth: '/health',
      };
      for (const [operation, path] of Object.entries(paths)) {
        const { text } = await support.call(operation, 'GET', path);
        assert.ok(text.includes(receiver.url), text);
        assert.doesNotMatch(text, /hunter|services/, operation);
      }
      assert.equal(
        (await admin.call<Endpoint>('getWebhookEndpoint', 'GET', `${base()}/${id}`)).body.url,
        url,
      );
      assert.equal((await details(id, event)).body.request.url, url);
    });

    it('shows the secret only to a person with the role and the right password', async () => {
      const { id, secret } = await made();
      const path = `/waitlists/${list.id}/webhooks/${id}/secret`;
      const owner = await setUp(service);
      const support = await join(service, owner, 'support', 'sam@example.com');
      assertError(await support.post(path, { password: PASSWORD }), 403, 'forbidden', /admin role/);
      assertError(await owner.post(path, { password: 'wrong' }), 403, 'forbidden', 'password: is incorrect');
      assertError(await owner.post(path, {}), 400, 'invalid_request', 'password: is required');
      const byToken = await admin.call('showWebhookSecret', 'POST', path, { body: { password: PASSWORD } });
      assertError(byToken, 403, 'forbidden', /tokens are not accepted/);
      assert.equal(await admin.audited('webhook.secret_shown'), undefined);
      const shown = await owner.post<{ secret: string }>(path, { password: PASSWORD });
      assert.deepEqual(shown.body, { id, secret, previous: [] });
      assert.equal((await admin.audited('webhook.secret_shown')).object.id, id);
    });

    it('sends a test event, and shows the request and each response', async () => {
      receiver.answer = status(500, {}, 'not today');
      const { id, secret } = await made({ headers: { 'X-Team': 'growth' } });
      const sent = await admin.call<Details>('testWebhookEndpoint', 'POST', `${base()}/${id}/test`);
      assert.equal(sent.status, 202, sent.text);
      assert.equal(sent.body.state, 'pending');
      const { event } = sent.body;
      await until('an attempt is logged', async () => (await details(id, event)).body.attempts.length === 1);
      const { request, attempts } = (await details(id, event)).body;
      assert.equal(request.headers['wh-id'], event);
      assert.deepEqual([request.headers['X-Team'], request.headers['wh-signature']], [null, null]);
      assert.deepEqual([attempts[0]?.status, attempts[0]?.response], [500, 'not today']);
      const arrived = receiver.received.find((one) => one.id === event);
      assert.equal(arrived?.body, request.body);
      const verified = verifyDelivery(
        {
          payload: request.body ?? '',
          headers: {
            id: event,
            timestamp: String(arrived?.headers['wh-timestamp']),
            signature: String(arrived?.headers['wh-signature']),
          },
          secret,
        },
        service.clock.now,
      );
      assert.ok(verified.verified);
      assert.equal((await admin.audited('webhook.tested')).object.id, id);
    });

    it('lists deliveries by state and kind, page by page', async () => {
      const { id } = await made();
      await update(id, { enabled: false });
      const path = `${base()}/${id}/deliveries`;
      for (const name of ['a', 'b', 'c']) await later(list.signup({ email: `${name}@example.com` }));
      await list.invite('a@example.com');
      await inState(service.context, id, 'held', 4);
      const held = await deliveries(id, '?state=held&limit=3');
      assert.deepEqual(
        held.body.deliveries.map(({ kind }) => kind),
        ['invite.sent', 'signup.created', 'signup.created'],
      );
      const rest = await deliveries(id, `?state=held&limit=3&cursor=${held.body.nextCursor}`);
      assert.deepEqual([rest.body.deliveries.length, rest.body.nextCursor], [1, null]);
      assert.equal((await deliveries(id, '?state=pending')).body.deliveries.length, 0);
      await update(id, { enabled: true });
      await inState(service.context, id, 'delivered', 4);
      const invites = await deliveries(id, '?event=invite.sent&state=delivered');
      assert.deepEqual([invites.body.deliveries.length, invites.body.nextCursor], [1, null]);
      const walked: string[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const { body } = await deliveries(id, `?limit=1${cursor && `&cursor=${cursor}`}`);
        walked.push(...body.deliveries.map(({ event }) => event));
        cursor = body.nextCursor;
      }
      assert.deepEqual(walked, [...new Set(walked)].sort().reverse());
      assert.equal(walked.length, 4);
      for (const query of ['?limit=0', '?limit=201', '?cursor=x', '?state=lost', '?stat=failed'])
        assertError(await deliveries(id, query), 400, 'invalid_request');
      assertError(await admin.call('getDelivery', 'GET', `${path}/evt_none`), 404, 'not_found');
    });

    it('lists what was sent about one entry, to all endpoints', async () => {
      const [one, two] = [await later(made()), await later(made({ events: ['invite.sent'] }))];
      await later(list.signup({ email: 'eve@example.com' }, { email: 'mallory@example.com' }));
      await list.invite('eve@example.com');
      const { id } = (await list.lookup('eve@example.com')).body;
      const about = (query: string) =>
        admin.call<Page>('listDeliveriesAboutEntry', 'GET', `/waitlists/${list.id}/deliveries${query}`);
      const shown = (page: Page) => page.deliveries.map(({ kind, endpoint }) => [kind, endpoint]);
      const all = [
        ['invite.sent', one.id],
        ['invite.sent', two.id],
        ['signup.created', one.id],
      ];
      assert.deepEqual(shown((await about(`?entry=${id}`)).body), all);
      const first = (await about(`?entry=${id}&limit=1`)).body;
      const second = (await about(`?entry=${id}&limit=2&cursor=${first.nextCursor}`)).body;
      assert.deepEqual([...shown(first), ...shown(second), second.nextCursor], [...all, null]);
      assertError(await about(''), 400, 'invalid_request', 'entry: is required');
      assertError(await about('?entry=eve'), 400, 'invalid_request', /^entry: /);
    });

    it('replays one delivery, or those of a time range', async () => {
      const { id } = await made();
      const from = new Date(service.clock.now).toISOString();
      for (const name of ['r1', 'r2', 'r3']) await list.signup({ email: `${name}@example.com` });
      await inState(service.context, id, 'delivered', 3);
      const { deliveries: found } = (await deliveries(id)).body;
      const event = found[0]?.event ?? '';
      const replay = (body: object, options: RequestOptions = {}) =>
        admin.call<Job>('replayDeliveries', 'POST', `${base()}/${id}/replay`, { body, ...options });
      const replayed = async (body: object) => {
        const started = await replay(body);
        assert.deepEqual([started.status, started.body.kind, started.body.state], [202, 'replay', 'queued']);
        assert.equal(started.body.subject, id);
        await service.runJobs();
        const job = (await admin.call<Job>('getJob', 'GET', `/jobs/${started.body.id}`)).body;
        assert.deepEqual([job.state, job.total, job.result], ['done', job.done, { replayed: job.done }]);
        return job.done;
      };
      const path = `${base()}/${id}/deliveries/${event}/replay`;
      const again = await admin.call<Details>('replayDelivery', 'POST', path);
      assert.deepEqual([again.status, again.body.event], [200, event]);
      assert.deepEqual((await admin.audited('delivery.replayed')).after, { event });
      await until('it arrived twice', () => receiver.received.filter((one) => one.id === event).length === 2);
      await inState(service.context, id, 'delivered', 3);
      assert.equal(await replayed({ from }), 0);
      const before = new Date(service.clock.now - 1).toISOString();
      assert.equal(await replayed({ from: before, to: from, state: 'delivered' }), 0);
      assert.equal(await replayed({ from, state: 'delivered' }), 3);
      assert.equal((await admin.audited('delivery.replayed')).after?.state, 'delivered');
      assertError(await replay({ from: 'yesterday' }), 400, 'invalid_request', /^from: must be an ISO 8601/);
      assertError(await replay({}), 400, 'invalid_request', 'from: is required');
      const unknown = `${base()}/${id}/deliveries/evt_06gxx2p9r1yn1vp1ryss481fhw/replay`;
      assertError(await admin.call('replayDelivery', 'POST', unknown), 404, 'not_found');
    });
  });
});
