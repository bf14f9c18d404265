import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { recountQueue } from '../../src/waitlist/upkeep/recount-queue.ts';
import { keepUp } from '../../src/waitlist/upkeep/upkeep.ts';
import { startMailServer } from '../support/mail-server.ts';
import { mailingList, startMailing } from '../support/mails.ts';
import { startReceiver } from '../support/receiver.ts';
import { createStorage } from '../support/storage.ts';
import { command } from '../support/terminal.ts';
import { endpointFor, inState } from '../support/webhooks.ts';

const crowd = Array.from({ length: 40 }, (_, n) => `p${n}@example.com`);

describe('a pool of one connection', () => {
  it('is enough for the service and all its commands', async () => {
    const storage = await createStorage('postgres', { migrated: true });
    const environment = { ...storage.environment, DOORLIST_DATABASE_POOL: '1' };
    const [mailServer, receiver] = await Promise.all([startMailServer(), startReceiver()]);
    const service = await startMailing('postgres', mailServer, { storage, environment });
    try {
      const { context } = service;
      const lists = await Promise.all([
        mailingList(service, ['welcome', 'invite']),
        mailingList(service, ['welcome', 'invite']),
      ]);
      for (const list of lists) {
        const endpoint = await endpointFor(context, await list.queue(), receiver.url);
        await list.signup({ email: crowd[0] }); // Or others could arrive before the one who referred them.
        const answers = await Promise.all(
          crowd.flatMap((email) => [list.signup({ email, referredBy: crowd[0] }), list.page()]),
        );
        assert.deepEqual(
          answers.map(({ status }) => status).filter((status) => status >= 300),
          [],
        );
        await inState(context, endpoint.id, 'delivered', crowd.length + crowd.length - 1);
        const { code } = await list.invite('p5@example.com', { expiresAt: service.clock.now + 60_000 });
        await list.invite('p6@example.com', { expiresAt: service.clock.now + 60_000 });
        assert.equal((await service.accept(code, { headers: { 'idempotency-key': 'a' } })).status, 200);
      }
      service.clock.advance(120_000);
      await keepUp(context);
      const [list] = lists;
      const file = path.join(storage.dataDir, 'people.csv');
      writeFileSync(file, `email\n${crowd.map((email) => `imported-${email}`).join('\n')}\n`);
      for (const words of [
        ['import', file, '--waitlist', list.id],
        ['invite', 'first', '10', '--waitlist', list.id],
        ['waitlist', 'update', list.id, '--boost', '3'],
        ['doctor'],
      ]) {
        const { code, error } = await command(environment, ...words);
        assert.deepEqual([words[0], code, error], [words[0], 0, '']);
      }
      await keepUp(context);
      assert.deepEqual((await recountQueue(context, await list.queue(), false)).findings, []);
      assert.equal((await service.request('GET', '/readyz')).status, 200);
    } finally {
      await service.close();
      await Promise.all([mailServer.close(), receiver.close()]);
      await storage.remove();
      rmSync(storage.dataDir, { recursive: true, force: true });
    }
  });
});
