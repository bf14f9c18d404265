import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { createServer, type Socket } from 'node:net';
import { after, afterEach, before, describe, it } from 'node:test';
import { listMails } from '../../src/mail/mailbox.ts';
import { connectSmtp } from '../../src/mail/smtp/smtp.ts';
import { updateMailSettings } from '../../src/mail/update-settings.ts';
import { eraseEntry } from '../../src/waitlist/entries/erase-entry.ts';
import type { Queue } from '../../src/waitlist/queue/queue.ts';
import { showDelivery } from '../../src/webhooks/list-deliveries.ts';
import { MustNotBegin } from '../../src/webhooks/requests.ts';
import { createSender } from '../../src/webhooks/send.ts';
import { forEachEngine, startService } from '../support/harness.ts';
import { startMailServer } from '../support/mail-server.ts';
import { PUBLIC_URL } from '../support/mails.ts';
import { ok, type Receiver, startReceiver } from '../support/receiver.ts';
import { endpointFor, guard, inState, startSending, until } from '../support/webhooks.ts';

const LEAVING = 'leaving@gone.example';

forEachEngine('locks', (engine) => {
  describe('erasing a person while deliveries are in flight', () => {
    let sending: Awaited<ReturnType<typeof startSending>>;
    let erasing: Awaited<ReturnType<typeof startService>>;
    let receiver: Receiver;
    /** Requests that were received and not yet answered. */
    let held: ServerResponse[];
    before(async () => {
      sending = await startSending(engine);
      erasing = await startService(engine, { storage: sending.storage });
    });
    after(async () => {
      await erasing.close();
      await sending.close();
    });
    afterEach(() => receiver.close());

    /** A queue whose receiver answers nothing until it is told to. */
    const hold = async () => {
      held = [];
      receiver = await startReceiver((_, response) => void held.push(response));
      const list = await sending.waitlist();
      const queue = await list.queue();
      const { id: endpoint } = await endpointFor(sending.context, queue, receiver.url);
      return { list, queue, endpoint };
    };
    const answerAll = (body = '') => {
      receiver.answer = ok;
      for (const response of held.splice(0)) response.end(body);
    };
    const claimed = async ({ id }: Queue) => {
      const rows = await sending.context.db.query
        .selectFrom('delivery')
        .select('event_id')
        .where('queue_id', '=', id)
        .where('attempts', '=', 1)
        .execute();
      return rows.length;
    };

    it('sends nothing more about them, not even what another process has claimed', async () => {
      const { list, queue, endpoint } = await hold();
      const others = Array.from({ length: 19 }, (_, i) => ({ email: `e${i}@example.com` }));
      await list.signup(...others, { email: LEAVING });
      await until('16 are on the wire, and the others claimed', async () => {
        return held.length === 16 && (await claimed(queue)) === 20;
      });
      await eraseEntry(erasing.context, queue, LEAVING);
      answerAll();
      await inState(sending.context, endpoint, 'delivered', 20); // The removal among them.
      await inState(sending.context, endpoint, 'failed', 1);
      assert.equal(receiver.received.filter(({ body }) => body.includes(LEAVING)).length, 0);
    });

    it('keeps no response to requests in flight', async () => {
      const { list, queue, endpoint } = await hold();
      await list.signup({ email: LEAVING });
      await until('it is on the wire', () => held.length === 1);
      const event = receiver.received[0]?.id ?? '';
      await eraseEntry(erasing.context, queue, LEAVING);
      answerAll(`you sent ${LEAVING}`);
      await inState(sending.context, endpoint, 'delivered', 2);
      const { state, log, request } = await showDelivery(sending.context, endpoint, event);
      assert.equal(request.body, null);
      assert.deepEqual(
        [state, ...log.map(({ status, response }) => [status, response])],
        ['delivered', [200, null]],
      );
    });

    it('ends pending retries at once', async () => {
      const { list, queue, endpoint } = await hold();
      receiver.answer = (_, response) => void response.writeHead(500).end();
      await list.signup({ email: LEAVING });
      const event = async () => {
        const id = receiver.received[0]?.id;
        return id === undefined ? undefined : showDelivery(sending.context, endpoint, id);
      };
      await until('the first attempt is in the log', async () => (await event())?.log.length === 1);
      receiver.answer = ok;
      await eraseEntry(erasing.context, queue, LEAVING);
      const erased = await event();
      assert.deepEqual(
        [erased?.state, erased?.nextAttemptAt, erased?.log[1]?.error],
        ['failed', null, 'not sent: its content was erased'],
      );
    });
  });

  describe('erasing a person while an email is in flight', () => {
    it('does not reveal them to a mail server that was slow to greet', async () => {
      const said: string[] = [];
      const waiting: Socket[] = [];
      const sockets = new Set<Socket>();
      const server = createServer((socket) => {
        sockets.add(socket);
        waiting.push(socket);
        socket.on('error', () => {});
        socket.on('data', (chunk) => {
          said.push(chunk.toString());
          socket.write('250 yes\r\n');
        });
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as { port: number };
      const service = await startSending(engine, {
        environment: {
          DOORLIST_PUBLIC_URL: PUBLIC_URL,
          DOORLIST_SMTP_URL: `smtp://127.0.0.1:${port}`,
          DOORLIST_MAIL_FROM: 'hello@acme.example',
        },
      });
      try {
        const list = await service.waitlist();
        const queue = await list.queue();
        await updateMailSettings(service.context, list.id, { kinds: ['welcome'] });
        await list.signup({ email: LEAVING });
        await until('a connection', () => waiting.length === 1);
        await eraseEntry(service.context, queue, LEAVING);
        for (const socket of waiting) socket.write('220 late\r\n');
        await until('the mail has failed', async () => {
          const { mails } = await listMails(service.context, queue, { limit: 10 });
          return mails.every(({ state }) => state === 'failed');
        });
        assert.match(said.join(''), /^EHLO/);
        assert.doesNotMatch(said.join(''), /gone\.example/);
      } finally {
        await service.close();
        for (const socket of sockets) socket.destroy();
        server.close();
      }
    });
  });
});

describe('a permit that ends before the connection is open', () => {
  it('sends nothing to a webhook, and the next request uses the connection', async () => {
    const receiver = await startReceiver();
    const sender = createSender(guard);
    try {
      const outgoing = { url: receiver.url, headers: {}, keys: [], id: 'evt_1', body: '{}' };
      await assert.rejects(
        sender.send(outgoing, Date.now(), () => false),
        MustNotBegin,
      );
      assert.equal((await sender.send(outgoing, Date.now(), () => true)).status, 200);
      assert.equal(receiver.received.length, 1);
    } finally {
      await sender.close();
      await receiver.close();
    }
  });

  it('sends nothing to a mail server, and the next email uses the connection', async () => {
    const server = await startMailServer();
    const smtp = connectSmtp(server.url);
    assert.ok(smtp);
    try {
      const mail = {
        from: { name: 'Acme', address: 'hello@acme.example' },
        replyTo: null,
        to: LEAVING,
        subject: 'Hello',
        text: 'Hello',
        html: '<p>Hello</p>',
        unsubscribeLink: null,
      };
      const envelope = { messageId: '<1@acme.example>', seed: 'evt_1', kind: 'welcome' as const, at: 0 };
      assert.equal(await smtp.send(mail, envelope, () => false), undefined);
      assert.equal(server.received.length, 0);
      assert.equal((await smtp.send(mail, envelope, () => true))?.ok, true);
      assert.equal(server.received.length, 1);
    } finally {
      smtp.close();
      await server.close();
    }
  });
});
