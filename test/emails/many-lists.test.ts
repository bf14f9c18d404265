import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pruneEvents } from '../../src/outbox/prune.ts';
import { forEachEngine } from '../support/harness.ts';
import { startMailServer } from '../support/mail-server.ts';
import { allSent, mailingList, mailsOf, startMailing } from '../support/mails.ts';

const LISTS = 3;
const PEOPLE = 60;
const DAY_MS = 24 * 60 * 60 * 1000;

forEachEngine('claims', (engine) => {
  describe('emails of several waitlists', () => {
    it('arrive once each, leave no error behind, and are pruned with every attempt', async () => {
      const server = await startMailServer();
      const service = await startMailing(engine, server);
      try {
        const { context, clock, log } = service;
        const lists = [];
        for (let index = 0; index < LISTS; index += 1) lists.push(await mailingList(service, ['welcome']));
        const people = (list: number) =>
          Array.from({ length: PEOPLE }, (_, index) => `p${index}@list${list}.example`);
        await Promise.all(
          lists.map((list, index) => list.signup(...people(index).map((email) => ({ email })))),
        );
        for (const list of lists) await allSent(service, await list.queue());
        await service.stopSending();
        for (const [index, list] of lists.entries()) {
          const recipients = mailsOf(server, list).flatMap(({ to }) => to);
          assert.deepEqual(recipients.sort(), people(index).sort());
        }
        assert.equal(server.received.length, LISTS * PEOPLE);
        assert.deepEqual(
          log.filter((line) => /"level":"(warn|error)"/.test(line)),
          [],
        );
        const attempts = () => context.db.query.selectFrom('delivery_attempt').select('event_id').execute();
        assert.equal((await attempts()).length, LISTS * PEOPLE);
        clock.advance(2 * DAY_MS);
        await pruneEvents(context, DAY_MS);
        assert.equal((await attempts()).length, 0);
      } finally {
        await service.close();
        await server.close();
      }
    });
  });
});
