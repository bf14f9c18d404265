import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { runCommandLine } from '../../src/commands/command-line.ts';
import { forEachEngine } from '../support/harness.ts';
import { type Receiver, startReceiver, status } from '../support/receiver.ts';
import { LOOPBACK, startSending, until } from '../support/webhooks.ts';

forEachEngine((engine) => {
  describe('webhook commands', () => {
    let service: Awaited<ReturnType<typeof startSending>>;
    let receiver: Receiver;
    before(async () => {
      service = await startSending(engine, { startAt: Date.now() });
      receiver = await startReceiver();
    });
    after(async () => {
      await service.close();
      await receiver.close();
    });

    const run = async (...words: string[]) => {
      const out: string[] = [];
      const errors: string[] = [];
      const code = await runCommandLine(words, {
        environment: { ...service.storage.environment, ...LOOPBACK },
        out: (text) => void out.push(text),
        error: (text) => void errors.push(text),
      });
      return { code, out: out.join('\n'), errors: errors.join('\n') };
    };
    const json = async <T = Record<string, never>>(...words: string[]): Promise<T> => {
      const { code, out, errors } = await run(...words, '--json');
      assert.equal(code, 0, errors);
      return JSON.parse(out) as T;
    };
    const create = async (...words: string[]) => {
      const list = await service.waitlist();
      const created = await json<{ id: string; secret: string; enabled: boolean }>(
        ...['webhook', 'create', '--waitlist', list.id, '--url', receiver.url, ...words],
      );
      return { list, ...created };
    };

    it('create, show, update and delete an endpoint', async () => {
      const { list, id, secret, enabled } = await create(
        '--events',
        'signup.created, invite.sent',
        '--description',
        'CRM',
      );
      assert.match(id, /^whe_[0-9a-z]{26}$/);
      assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
      assert.equal(enabled, true);
      const [listed] = await json<Record<string, unknown>[]>('webhook', 'list', '--waitlist', list.id);
      assert.deepEqual(
        [listed?.id, listed?.events, listed?.description],
        [id, ['signup.created', 'invite.sent'], 'CRM'],
      );
      assert.ok(!JSON.stringify(listed).includes(secret));
      assert.equal((await json('webhook', 'secret', id)).secret, secret);
      const changed = await json<Record<string, unknown>>(
        ...[
          'webhook',
          'update',
          id,
          '--headers',
          '{"X-Token":"s3cret"}',
          '--events',
          'all',
          '--rate-limit',
          '9',
        ],
      );
      assert.deepEqual(
        [changed.headers, changed.events, changed.rateLimit, changed.description],
        [['X-Token'], [], 9, 'CRM'],
      );
      assert.equal((await json('webhook', 'disable', id)).disabledReason, 'disabled by an operator');
      assert.match((await run('webhook', 'list')).out, /disabled: disabled by an operator/);
      assert.equal((await json('webhook', 'enable', id)).enabled, true);
      const rotated = await json<Record<string, string>>('webhook', 'rotate-secret', id);
      assert.notEqual(rotated.secret, secret);
      const inADay = Date.parse(rotated.previousEndsAt ?? '') - Date.now();
      assert.ok(Math.abs(inADay - 86_400_000) < 60_000);
      assert.equal((await json('webhook', 'rotate-secret', id, '--revoke-now')).previousEndsAt, null);
      assert.deepEqual(await json('webhook', 'delete', id), { id, deleted: true });
      assert.equal((await run('webhook', 'show', id)).code, 1);
    });

    it('update without options changes nothing, and is not recorded', async () => {
      const { id } = await create();
      const records = () => service.context.db.query.selectFrom('audit').select('seq').execute();
      const before = await records();
      const { out } = await run('webhook', 'update', id);
      assert.match(out, /^events +all$/m);
      assert.match(out, /^headers +-$/m);
      assert.deepEqual(await records(), before);
    });

    it('show deliveries, replay them and send a test event', async () => {
      const { list, id } = await create();
      receiver.answer = status(200, {}, 'thank\u001b[31m you');
      await list.signup(
        { email: 'ada@example.com' },
        { email: 'bob@example.com' },
        { email: 'cyd@example.com' },
      );
      type Page = { deliveries: { event: string; state: string }[]; nextCursor: string | null };
      const page = (...words: string[]) => json<Page>('webhook', 'deliveries', id, ...words);
      await until('three', async () => (await page('--state', 'delivered')).deliveries.length === 3);
      const first = await page('--limit', '2');
      const second = await page('--limit', '2', '--cursor', first.nextCursor ?? '');
      assert.deepEqual([first.deliveries.length, second.deliveries.length, second.nextCursor], [2, 1, null]);
      const event = first.deliveries[0]?.event ?? '';
      const shown = await json<{ log: Record<string, unknown>[] }>('webhook', 'delivery', id, event);
      assert.deepEqual([shown.log[0]?.status, shown.log[0]?.response], [200, 'thank\u001b[31m you']);
      assert.ok(
        !(await run('webhook', 'delivery', id, event)).out.includes('\u001b'),
        'terminals are left alone',
      );
      const before = receiver.received.length;
      assert.deepEqual(await json('webhook', 'replay', id, '--event', event), { replayed: 1 });
      assert.match((await json<Record<string, string>>('webhook', 'test', id)).event ?? '', /^evt_/);
      service.clock.now = Date.now() + 1_000; // Commands go by the real one.
      await until('both', () => receiver.received.length === before + 2);
      assert.deepEqual(await json('webhook', 'replay', id, '--failed-since', '7d'), { replayed: 0 });
      receiver.answer = status(200);
    });

    it('list deliveries across endpoints by state, page by page', async () => {
      const { list, id: good } = await create();
      const failing = await startReceiver(status(500));
      try {
        const { id: bad } = await json<{ id: string }>(
          ...['webhook', 'create', '--waitlist', list.id, '--url', failing.url],
        );
        await list.signup({ email: 'ada@example.com' }, { email: 'bob@example.com' });
        type Page = {
          deliveries: { endpoint: string; event: string; state: string }[];
          nextCursor: string | null;
        };
        const page = (...words: string[]) =>
          json<Page>('webhook', 'deliveries', '--waitlist', list.id, ...words);
        const of = async (state: string) => (await page('--state', state)).deliveries;
        await until('two are delivered', async () => (await of('delivered')).length === 2);
        await until('two have failed once', () => failing.received.length === 2);
        assert.deepEqual(new Set((await of('delivered')).map(({ endpoint }) => endpoint)), new Set([good]));
        assert.deepEqual(new Set((await of('pending')).map(({ endpoint }) => endpoint)), new Set([bad]));
        await run('webhook', 'disable', bad);
        assert.equal((await of('held')).length, 2);

        const walked: string[] = [];
        for (let cursor: string | null = ''; cursor !== null; ) {
          const one: Page = await page('--limit', '1', ...(cursor ? ['--cursor', cursor] : []));
          walked.push(...one.deliveries.map(({ event, endpoint }) => `${event} ${endpoint}`));
          cursor = one.nextCursor;
        }
        const all = await page();
        assert.deepEqual(
          walked,
          all.deliveries.map(({ event, endpoint }) => `${event} ${endpoint}`),
        );
        assert.equal(new Set(walked).size, 4);
        const everywhere = await json<Page>('webhook', 'deliveries', '--state', 'held');
        assert.ok(everywhere.deliveries.some(({ endpoint }) => endpoint === bad));
        assert.match((await run('webhook', 'deliveries', '--state', 'held')).out, /^ENDPOINT +EVENT/);
        assert.equal((await run('webhook', 'deliveries', '--env', 'development')).code, 2);
        assert.equal((await run('webhook', 'deliveries', good, '--waitlist', list.id)).code, 2);
        assert.equal((await run('webhook', 'deliveries', '--cursor', 'evt_x')).code, 1);
      } finally {
        await failing.close();
      }
    });

    it('reject invalid input, and say why', async () => {
      const list = await service.waitlist();
      const make = (...words: string[]) => run('webhook', 'create', '--waitlist', list.id, ...words);
      const url = ['--url', receiver.url];
      for (const [words, why] of [
        [['--url', 'http://10.0.0.1/'], /url: must start with https/],
        [['--url', 'https://10.0.0.1/'], /url: leads to an address that is not on the public Internet/],
        [['--url', 'https://a:b@example.com/'], /url: must not hold a name or a password/],
        [['--url', 'nonsense'], /url: must be a URL/],
        [[...url, '--events', 'signup.creatd'], /events: unknown event signup.creatd/],
        [[...url, '--headers', '{"Content-Type":"x"}'], /Content-Type is set by Doorlist/],
        [[...url, '--headers', '{"webhook-id":"x"}'], /webhook-id is set by Doorlist/],
        [[...url, '--headers', '{"WH-Signature":"x"}'], /WH-Signature is set by Doorlist/],
        [[...url, '--headers', '{"Connection":"x"}'], /Connection is set by Doorlist/],
        [[...url, '--headers', '{"X-A":"a\\r\\nX-B: b"}'], /value of X-A must be printable/],
        [[...url, '--headers', '{"X A":"a"}'], /X A is not a header name/],
      ] as [string[], RegExp][]) {
        const { code, errors } = await make(...words);
        assert.equal(code, 1, words.join(' '));
        assert.match(errors, why);
      }
      assert.equal((await make(...url, '--headers', '[1]')).code, 2);
      for (const rate of ['1.5', '10001', 'many']) {
        const { code, errors } = await make(...url, '--rate-limit', rate);
        assert.equal(code, 2, rate);
        assert.match(errors, /--rate-limit: must be a whole number from 0 to 10000/);
      }
      assert.equal((await run('webhook', 'create', '--waitlist', 'wl_none', ...url)).code, 1);
      assert.equal((await run('webhook', 'show', 'whe_x')).code, 1);
      assert.deepEqual(await json('webhook', 'list', '--waitlist', list.id), []);
    });

    it('store nothing personal or secret outside encrypted columns', async () => {
      const marks = ['marker-path', 'marker-token', 'marker-person', 'marker-answer', 'marker-about'];
      const list = await service.waitlist();
      receiver.answer = status(500, {}, 'marker-answer');
      const { id, secret } = await json<{ id: string; secret: string }>(
        ...['webhook', 'create', '--waitlist', list.id, '--url', `${receiver.url}/marker-path`],
        ...['--headers', '{"X-Token":"marker-token"}', '--description', 'marker-about'],
      );
      const before = receiver.received.length;
      await list.signup({ email: 'marker-person@example.com', metadata: { note: 'marker-person' } });
      await until('an attempt', () => receiver.received.length === before + 1);
      type Shown = { log: { response: string }[] };
      const event = receiver.received.at(-1)?.id ?? '';
      const log = async () => (await json<Shown>('webhook', 'delivery', id, event)).log;
      await until('the log', async () => (await log())[0]?.response === 'marker-answer');
      await service.stopSending();
      const stored = engine === 'sqlite' ? readFiles(service.storage.dataDir) : await readTables();
      const written = Buffer.concat([stored, Buffer.from(service.log.join('\n'))]);
      const secretBytes = Buffer.from(secret.slice('whsec_'.length), 'base64');
      assert.ok(written.includes(Buffer.from(list.id)), 'the search finds what is there');
      for (const mark of [...marks, secret]) assert.ok(!written.includes(Buffer.from(mark)), mark);
      assert.ok(
        !written.includes(secretBytes) && !written.includes(Buffer.from(secretBytes.toString('hex'))),
      );
    });

    function readFiles(directory: string): Buffer {
      return Buffer.concat(readdirSync(directory).map((name) => readFileSync(path.join(directory, name))));
    }

    /** Bytes as hexadecimal and as they are, so that a search finds a value in either form. */
    async function readTables(): Promise<Buffer> {
      const tables = [
        'webhook_endpoint',
        'event',
        'event_subject',
        'delivery',
        'delivery_attempt',
        'queue',
        'waitlist',
      ] as const;
      const parts: Buffer[] = [];
      for (const table of tables) {
        for (const row of await service.context.db.query.selectFrom(table).selectAll().execute()) {
          for (const value of Object.values(row))
            parts.push(value instanceof Uint8Array ? Buffer.from(value) : Buffer.from(String(value)));
        }
      }
      return Buffer.concat(parts);
    }
  });
});
