import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { parseId } from '../../src/lib/ids.ts';
import { DELAYS_MS } from '../../src/outbox/deliver.ts';
import { deleteEndpoint } from '../../src/webhooks/change-endpoints.ts';
import { listDeliveries, showDelivery } from '../../src/webhooks/list-deliveries.ts';
import { checkAt, checkLayout, copied, sizeOn, useDashboard } from '../support/dashboard.ts';
import { forEachEngine, type List } from '../support/harness.ts';
import { type Browser, join, PASSWORD, setUp } from '../support/operators.ts';
import { ok, type Receiver, startReceiver, status } from '../support/receiver.ts';
import { inState, startSending, until } from '../support/webhooks.ts';

const openDashboard = useDashboard();
/** The tests advance the clock of the server, which must not pass the browser's: it would not look for news. */
const HEAD_START_MS = 24 * 60 * 60 * 1000;

forEachEngine((engine) => {
  const size = sizeOn(engine);
  const check = checkAt(size);
  let service: Awaited<ReturnType<typeof startSending>>;
  let receiver: Receiver;
  let owner: Browser;
  let support: Browser;
  let list: List;
  before(async () => {
    const startAt = Date.now() - HEAD_START_MS;
    service = await startSending(engine, { startAt, streamTimes: { roundMs: 20 } });
    receiver = await startReceiver();
    owner = await setUp(service);
    support = await join(service, owner, 'support', 'sue@example.com');
    list = await service.waitlist({ name: 'Acme' });
  });
  after(async () => {
    await service.close();
    await receiver.close();
  });

  const open = (path: string, as = owner) => openDashboard(service, path, { as, size });

  /** Waits until so many have failed once, and none is under way: that one would be left alone by a replay. */
  const tried = (endpointId: string, count: number) =>
    until(`${count} were tried`, async () => {
      const { context } = service;
      const { deliveries } = await listDeliveries(context, endpointId, { limit: 10, state: 'pending' });
      const logs = deliveries.map(async ({ event }) => (await showDelivery(context, endpointId, event)).log);
      return (await Promise.all(logs)).filter(({ length }) => length > 0).length === count;
    });

  /** Lets the next attempt be the last: ten of them take three days. */
  const failForGood = async (endpointId: string, count: number) => {
    await tried(endpointId, count);
    await service.context.db.query
      .updateTable('delivery')
      .set({ tries: DELAYS_MS.length - 1 })
      .where('channel', '=', 'webhook')
      .where('due_at', 'is not', null)
      .execute();
    service.clock.advance(DELAYS_MS[1] ?? 0);
    await inState(service.context, endpointId, 'failed', count);
  };

  describe(`webhooks on a ${size}`, () => {
    let endpoint: string;

    it('adds an endpoint, shows its secret, a delivery with request and response, and replays it', async () => {
      const page = await open(`/waitlists/${list.id}/webhooks`);
      await page.getByText('No endpoints yet').waitFor();
      await check(page, 'no endpoints');
      await page.getByRole('button', { name: 'Add endpoint' }).first().click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('URL').fill('https://10.0.0.7/hooks');
      await dialog.getByText('All events').click();
      await dialog.getByRole('button', { name: 'Add endpoint' }).click();
      await dialog.getByText('Choose at least one, or all events.').waitFor();
      await dialog.getByText('signup.created').click();
      await dialog.getByRole('button', { name: 'Add endpoint' }).click();
      await dialog.getByText(/not on the public Internet/).waitFor();
      page.problems.length = 0; // The browser reports the 400 that we wanted.
      await check(page, 'the form');
      await dialog.getByLabel('URL').fill(`${receiver.url}/hooks`);
      await dialog.getByLabel('Headers').fill('Authorization: Bearer 4f1d2c');
      await dialog.getByRole('button', { name: 'Add endpoint' }).click();
      await page.getByText(/^whsec_/).waitFor();
      await page.getByRole('button', { name: 'Copy secret' }).click();
      await copied(page, /^whsec_/);
      await page.getByRole('button', { name: 'Done' }).click();
      await page.getByText('Nothing sent yet').waitFor();
      endpoint = new URL(page.url()).pathname;

      receiver.answer = status(200, {}, '<img src=x onerror=alert(1)>');
      await list.signup({ email: 'ada@example.com', metadata: { note: '<img src=x onerror=alert(1)>' } });
      await page.getByRole('button', { name: 'signup.created' }).click();
      const drawer = page.getByRole('dialog');
      await drawer.getByText('Delivered').waitFor();
      await drawer.getByText('Attempt 1').waitFor();
      await drawer.getByText('<img src=x onerror=alert(1)>', { exact: true }).waitFor();
      await drawer.getByText('"ada@example.com"').waitFor();
      await check(page, 'a delivery');
      await drawer.getByRole('button', { name: 'Replay' }).click();
      await drawer.getByText('Attempt 2').waitFor();
      assert.equal(receiver.received.length, 2);
      assert.equal(receiver.ids().size, 1);
      assert.equal(receiver.received[1]?.headers.authorization, 'Bearer 4f1d2c');
      await page.reload();
      await drawer.getByText('Attempt 2').waitFor();
      await drawer.getByRole('button', { name: 'Close' }).click();
      await page.getByText('Healthy').waitFor();
      await check(page, 'an endpoint');
      await page.close();
    });

    it('sends a test event, filters deliveries, and goes back through what was chosen', async () => {
      const page = await open(endpoint);
      await page.getByRole('button', { name: 'Send test event' }).click();
      const drawer = page.getByRole('dialog');
      await drawer.getByRole('heading', { name: 'webhook.test' }).waitFor();
      await drawer.getByText('Delivered').waitFor();
      await drawer.getByRole('button', { name: 'Close' }).click();
      await page.getByRole('button', { name: 'webhook.test' }).waitFor();
      await page.getByRole('combobox', { name: 'Event' }).click();
      await page.getByRole('option', { name: 'signup.created' }).click();
      await page.getByRole('button', { name: 'webhook.test' }).waitFor({ state: 'hidden' });
      assert.equal(new URL(page.url()).searchParams.get('event'), 'signup.created');
      await page.goBack();
      await page.getByRole('button', { name: 'webhook.test' }).waitFor();
      await checkLayout(page, 'deliveries');
      await page.close();
    });

    it('replays what failed, and shows how far it is, on the page of that endpoint', async () => {
      const endpointId = endpoint.split('/').at(-1) ?? '';
      receiver.answer = status(500);
      for (const email of ['grace@example.com', 'joan@example.com']) await list.signup({ email });
      await failForGood(endpointId, 2);
      receiver.answer = ok;
      const webhooks = `/waitlists/${list.id}/webhooks`;
      const other = (await owner.post<{ id: string }>(webhooks, { url: receiver.url })).body.id;
      await owner.post(`${webhooks}/${other}/test`);
      await inState(service.context, other, 'delivered', 1);
      await owner.post(`${webhooks}/${endpointId}/test`);
      const all = await open(webhooks);
      await all.getByText('2 failed').waitFor();
      await checkLayout(all, 'endpoints with failures');
      await all.close();
      const from = new Date(0).toISOString();
      await owner.post(`${webhooks}/${other}/replay`, { from, state: 'delivered' });
      const before = receiver.received.length;

      const page = await open(endpoint);
      await page.getByRole('button', { name: 'Replay failed' }).click();
      await page.getByRole('dialog').getByText('did not accept in production').waitFor();
      await check(page, 'the replay dialog');
      await page.getByRole('button', { name: 'Replay', exact: true }).click();
      await page.getByText('Replaying what failed').waitFor();
      const replays = page.getByRole('list', { name: 'Replays' });
      await replays.getByText('Replaying').waitFor();
      assert.equal(await replays.getByRole('listitem').count(), 1);
      await service.runJobs();
      await replays.getByText('Replayed 2 deliveries').waitFor();
      await inState(service.context, endpointId, 'failed', 0);
      await until('all arrive', () => receiver.received.length === before + 3);
      const emails = receiver.received
        .slice(before)
        .flatMap(({ body }) => /\w+@example\.com/.exec(body)?.[0] ?? []);
      assert.deepEqual(emails.sort(), ['grace@example.com', 'joan@example.com']);
      await deleteEndpoint(service.context, other);

      receiver.answer = status(500);
      await list.signup({ email: 'later@example.com' });
      await tried(endpointId, 1);
      receiver.answer = ok;
      await page.getByRole('button', { name: 'Replay failed' }).click();
      await page.getByRole('button', { name: 'Replay', exact: true }).click();
      await replays.getByText('Replaying').waitFor();
      await service.runJobs();
      await inState(service.context, endpointId, 'pending', 0);
      await page.close();
    });

    it('shows why an endpoint was disabled, sends what was held, rotates its secret and deletes it', async () => {
      const page = await open(endpoint);
      const pending = Promise.withResolvers<void>();
      receiver.answer = (...answering) => void pending.promise.then(() => status(410)(...answering));
      await page.getByRole('button', { name: 'Send test event' }).click();
      await page.getByRole('dialog').getByText('Pending').waitFor();
      pending.resolve();
      await page.getByRole('dialog').getByText('Held').waitFor();
      await page.getByRole('button', { name: 'Close' }).click();
      await page.reload();
      await page.getByText('Answered 410 Gone.').waitFor();
      await check(page, 'a disabled endpoint');
      receiver.answer = ok;
      const before = receiver.received.length;
      await page.getByRole('button', { name: 'Enable' }).click();
      service.clock.advance(60_000);
      await until('what was held arrives', () => receiver.received.length > before);
      await page.getByText('This endpoint is disabled').waitFor({ state: 'hidden' });

      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Rotate signing secret' }).click();
      await page.getByText(/in production are signed with a new secret/).waitFor();
      await page.getByRole('button', { name: 'Rotate secret' }).click();
      const rotated = await page.getByText(/^whsec_/).textContent();
      await page.getByRole('button', { name: 'Done' }).click();
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Show signing secret' }).click();
      await page.getByLabel('Your password').fill(PASSWORD);
      await page.getByRole('button', { name: 'Show secret' }).click();
      assert.equal(
        await page
          .getByText(/^whsec_/)
          .first()
          .textContent(),
        rotated,
      );
      assert.equal(await page.getByText(/^whsec_/).count(), 2, 'the old one still signs');
      await page.getByRole('button', { name: 'Done' }).click();

      await page.getByRole('button', { name: 'Replay failed' }).click();
      await page.getByRole('button', { name: 'Replay', exact: true }).click();
      await page.getByText('Nothing failed in this time').waitFor();
      await service.context.db.query
        .updateTable('delivery')
        .set({ due_at: null, delivered_at: null, failed_at: service.clock.now })
        .execute();
      await page.getByRole('button', { name: 'Replay failed' }).click();
      await page.getByRole('button', { name: 'Replay', exact: true }).click();
      await page.getByRole('progressbar', { name: /^Replaying \d+ deliver/ }).waitFor();
      await check(page, 'a replay under way');
      await service.runJobs();
      await page.getByText(/^Replayed \d+ deliver/).waitFor();
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Delete' }).click();
      const remove = page.getByRole('button', { name: 'Delete endpoint' });
      assert.ok(await remove.isDisabled());
      await page.getByLabel(/to confirm/).fill(new URL(receiver.url).host);
      await remove.click();
      await page.getByText('No endpoints yet').waitFor();
      await page.close();
    });

    it('lets support look, and change nothing', async () => {
      const { body } = await owner.post<{ id: string }>(`/waitlists/${list.id}/webhooks`, {
        url: `${receiver.url}/${'long/'.repeat(100)}`,
        description: `<b>not bold</b> ${'long '.repeat(90)}`,
      });
      const page = await open(`/waitlists/${list.id}/webhooks`, support);
      await page.getByText('<b>not bold</b>').waitFor();
      assert.equal(await page.getByRole('button', { name: 'Add endpoint' }).count(), 0);
      await checkLayout(page, 'endpoints');
      await page.getByRole('row').getByRole('button').press('Enter');
      await page.getByText('Nothing sent yet').waitFor();
      assert.equal(new URL(page.url()).pathname, `/waitlists/${list.id}/webhooks/${body.id}`);
      await page.locator('h1:focus').waitFor();
      assert.equal(await page.getByRole('button', { name: /Send test|Replay|More actions/ }).count(), 0);
      await page.getByText('Origin', { exact: true }).waitFor();
      assert.doesNotMatch(await page.content(), /long\/long/, 'the path may contain a password');
      await check(page, 'an endpoint for support');
      await page.close();
    });

    it('shows that the settings of an endpoint are damaged, and deletes it', async () => {
      const { body } = await owner.post<{ id: string }>(`/waitlists/${list.id}/webhooks`, {
        url: receiver.url,
      });
      await service.context.db.query
        .updateTable('webhook_endpoint')
        .set({ sealed: Buffer.from('damaged') })
        .where('id', '=', parseId('whe', body.id) ?? Buffer.alloc(0))
        .execute();
      const page = await open(`/waitlists/${list.id}/webhooks`);
      await page.getByRole('row').filter({ hasText: 'Damaged' }).getByRole('button').press('Enter');
      await page.getByText('The settings of this endpoint are damaged').waitFor();
      await page.getByText('Nothing sent yet').waitFor();
      assert.equal(await page.getByRole('button', { name: /Send test event|Replay/ }).count(), 0);
      await check(page, 'a damaged endpoint');
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Delete' }).waitFor();
      assert.equal(await page.getByRole('menuitem', { name: /Edit|secret/ }).count(), 0);
      await page.getByRole('menuitem', { name: 'Delete' }).click();
      await page.getByLabel(/to confirm/).fill(body.id);
      await page.getByRole('button', { name: 'Delete endpoint' }).click();
      await page.getByText('Endpoint deleted').waitFor();
      await page.close();
    });
  });
});
