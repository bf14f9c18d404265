import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import type { Document } from '../src/http/docs/document.ts';
import { decideEntry } from '../src/waitlist/decisions/decide.ts';
import { confirmEntry } from '../src/waitlist/entries/confirm-entry.ts';
import { eraseEntry } from '../src/waitlist/entries/erase-entry.ts';
import { updateEntry } from '../src/waitlist/entries/update-entry.ts';
import { removeEntry, restoreEntry } from '../src/waitlist/invites/removal.ts';
import { recordMailEvents } from '../src/waitlist/mail-events/record-mail-events.ts';
import { updateWaitlist } from '../src/waitlist/settings/update-waitlist.ts';
import { changeWave, createWave } from '../src/waitlist/waves/change-waves.ts';
import { runDueWaves } from '../src/waitlist/waves/run-wave.ts';
import { listEndpoints } from '../src/webhooks/endpoints.ts';
import { sendTestEvent } from '../src/webhooks/replay.ts';
import { assertMatches } from './support/documented.ts';
import { forEachEngine, type Service, startService } from './support/harness.ts';
import { listen, type RecordedEvent } from './support/recorded-events.ts';

forEachEngine((engine) => {
  let service: Service;
  before(async () => {
    service = await startService(engine);
  });
  after(() => service.close());

  it('every event matches the OpenAPI document', async () => {
    const { context, clock } = service;
    const list = await service.waitlist();
    const queue = await list.queue();
    const told = await listen(context, queue);
    const [endpoint] = await listEndpoints(context, queue);
    await updateWaitlist(context, list.id, { confirmEmails: true });
    let code = '';
    const invite = async (email: string, expiresAt?: number) => {
      code = (await list.invite(email, expiresAt === undefined ? {} : { expiresAt })).code;
    };
    const steps: (() => Promise<unknown>)[] = [
      () => list.signup({ phone: '+14155550123', metadata: { plan: 'pro' } }),
      () => list.signup({ email: 'ada@example.com', referredBy: '+14155550123' }),
      async () => confirmEntry(context, queue, (await list.lookup('ada@example.com')).body.id),
      () => invite('ada@example.com'),
      () => service.revoke(code),
      () => invite('ada@example.com', clock.now + 1_000),
      async () => {
        clock.advance(1_000);
        await service.expire(list);
      },
      () => invite('grace@example.com'),
      () => service.accept(code),
      async () => removeEntry(context, queue, (await list.lookup('ada@example.com')).body.id),
      async () => restoreEntry(context, queue, (await list.lookup('ada@example.com')).body.id),
      async () =>
        updateEntry(context, queue, (await list.lookup('ada@example.com')).body.id, {
          phone: '+14155550100',
        }),
      async () => decideEntry(context, queue, (await list.lookup('ada@example.com')).body.id, 'decline'),
      async () => decideEntry(context, queue, (await list.lookup('ada@example.com')).body.id, 'approve'),
      () => eraseEntry(context, queue, 'ada@example.com'),
      () => list.signup({ email: 'wanda@example.com' }),
      async () => confirmEntry(context, queue, (await list.lookup('wanda@example.com')).body.id),
      () =>
        recordMailEvents(context, queue, [
          { type: 'bounce', email: 'wanda@example.com' },
          { type: 'complaint', email: 'wanda@example.com' },
        ]),
      async () => {
        const { id } = await createWave(context, queue, { name: 'Trickle', keepOpen: 5 });
        await runDueWaves(context, queue);
        await changeWave(context, queue, id, { paused: true });
      },
      () => sendTestEvent(context, endpoint?.id ?? ''),
    ];
    const events: RecordedEvent[] = [];
    for (const step of steps) {
      await step();
      events.push(...(await told()));
    }
    const removals = events.filter(({ event }) => event === 'entry.removed').map(({ data }) => data.entry);
    assert.equal(removals[0]?.email, 'ada@example.com', 'taken off: the entry');
    assert.deepEqual(removals[1], { id: removals[0]?.id }, 'erased: only its id');
    const { body: document } = await service.request<Document>('GET', '/openapi.json');
    for (const event of events) {
      const { post } = document.webhooks[event.event] ?? assert.fail(`${event.event} is not documented`);
      const media = post.requestBody?.content['application/json'];
      assertMatches(document, media?.schema ?? {}, event, event.event);
    }
    const seen = new Set(events.map(({ event }) => event));
    assert.deepEqual([...seen].sort(), Object.keys(document.webhooks).sort());
  });
});
