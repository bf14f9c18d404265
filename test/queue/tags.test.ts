import assert from 'node:assert/strict';
import { it } from 'node:test';
import { changeSettings } from '../../src/waitlist/queue/change-settings.ts';
import { insertQueue } from '../../src/waitlist/settings/environments.ts';
import { afterTest } from '../support/cleanup.ts';
import { forEachEngine, startService } from '../support/harness.ts';

forEachEngine((engine) => {
  it('a new queue gets another tag if one has it already', async () => {
    const service = await startService(engine);
    afterTest(service.close);
    const { context, clock } = service;
    const { keyring, registry } = context;
    const list = await service.waitlist();
    const { tag, waitlist } = await list.queue();
    const tags = [tag, tag, 'other1'];
    await changeSettings(context, async (trx, master) => {
      await trx.insertInto('environment').values({ name: 'staging', created_at: clock.now }).execute();
      const queue = { waitlistId: waitlist.internalId, environment: 'staging', metadataKeys: [] };
      await insertQueue(trx, { keyring, master }, { ...queue, now: clock.now }, () => tags.shift() ?? '');
    });
    assert.equal((await registry.queue(list.id, 'staging'))?.tag, 'other1');
    assert.equal((await registry.queueByTag(tag))?.environment, 'production');
  });
});
