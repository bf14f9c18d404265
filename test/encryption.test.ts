import assert from 'node:assert/strict';
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { readConfig } from '../src/config/config.ts';
import { openContext } from '../src/installation/open.ts';
import { createLogger } from '../src/lib/log.ts';
import { generateMasterKey, MasterKeyProblem } from '../src/vault/master-key.ts';
import { rotateMasterKey } from '../src/waitlist/upkeep/instance.ts';
import { afterTest } from './support/cleanup.ts';
import {
  assertError,
  clientFor,
  forEachEngine,
  type List,
  listOver,
  type Service,
  startService,
} from './support/harness.ts';
import { fingerprint, storedBytes } from './support/inspect.ts';
import { commandJson, startProcess } from './support/process.ts';
import { createStorage, type Storage, unique } from './support/storage.ts';
import { jsonOf, typed } from './support/terminal.ts';

const silent = createLogger('silent');

forEachEngine((engine) => {
  describe('what is stored and logged', () => {
    it('contains no personal data, key or code in any file, table, write-ahead log or log line', async () => {
      const since = new Date(Date.now() - 1_000);
      const storage = await createStorage(engine, { migrated: true });
      const service = await startService(engine, { storage });
      try {
        const needles = await leaveCanaries(service);
        const search = async (moment: string) => {
          const places = await storedBytes(storage, since);
          places.push({ name: 'log', bytes: Buffer.from(service.log.join('')) });
          assert.ok(
            places.some(({ bytes }) => bytes.includes('Plain Name Of The Waitlist')),
            'the search looks where the data is',
          );
          for (const [what, needle] of Object.entries(needles)) {
            for (const spelling of spellings(needle)) {
              const found = places.filter(({ bytes }) => bytes.includes(spelling)).map(({ name }) => name);
              assert.deepEqual(found, [], `${what} is to be found ${moment}`);
            }
          }
        };
        await search('while the service runs');
        await service.close();
        await search('after it was stopped');
      } finally {
        await storage.remove();
      }
    });
  });

  describe('sealed bytes', () => {
    let service: Service;
    before(async () => {
      service = await startService(engine);
    });
    after(() => service.close());

    const persons = async (list: List) => {
      const { id } = await list.queue();
      const rows = await service.context.db.query
        .selectFrom('entry')
        .select(['seq', 'person'])
        .where('queue_id', '=', id)
        .orderBy('seq')
        .execute();
      return rows.map(({ seq, person }) => ({ seq, person: Buffer.from(person ?? []) }));
    };
    const writePerson = async (list: List, seq: number, person: Buffer) => {
      const { id } = await list.queue();
      await service.context.db.query
        .updateTable('entry')
        .set({ person })
        .where('queue_id', '=', id)
        .where('seq', '=', seq)
        .execute();
    };
    const filled = async () => {
      const list = await service.waitlist();
      await list.signup(
        ...[1, 2, 3, 4].map((n) => ({
          email: `p${n}@example.com`,
          phone: `+1415555000${n}`,
          metadata: { n },
        })),
      );
      return list;
    };
    const damage = async (list: List, seq: number, at = -1) => {
      const row = (await persons(list)).find((each) => each.seq === seq);
      assert.ok(row);
      const flipped = Buffer.from(row.person);
      const place = at < 0 ? flipped.length + at : at;
      flipped[place] = (flipped[place] ?? 0) ^ 1;
      await writePerson(list, seq, flipped);
    };
    /** What a page shows of a row that does not open. */
    const assertClosed = (entry: object | undefined) => {
      const { email, phone, metadata } = entry as Record<string, unknown>;
      assert.deepEqual({ email, phone, metadata }, { email: null, phone: null, metadata: null });
    };
    const assertPage = async (list: List, closed: number[], count = 4) => {
      for (const sort of ['joined', 'position']) {
        const { status, body, text } = await list.page({ sort });
        assert.equal(status, 200, text);
        assert.equal(body.entries.length, count);
        assert.deepEqual(
          body.entries.map(({ position }) => position).sort(),
          Array.from({ length: count }, (_, i) => i + 1),
        );
        body.entries.forEach((entry, index) => {
          if (closed.includes(index + 1)) assertClosed(entry);
          else assert.equal(entry.email, `p${index + 1}@example.com`);
        });
      }
    };

    it('that were modified anywhere make their row unreadable, and the rest of the page is served', async () => {
      for (const at of [0, 1, 9, 20, 33, 40, -1]) {
        const list = await filled();
        await damage(list, 2, at);
        await assertPage(list, [2]);
        assertError(await list.lookup('p2@example.com'), 500, 'internal_error');
        assertError(await list.lookup('+14155550002'), 500, 'internal_error');
        assert.equal((await list.lookup('p3@example.com')).status, 200);
      }
    });

    it('that were truncated make their row unreadable', async () => {
      const list = await filled();
      await writePerson(list, 1, Buffer.alloc(0));
      await writePerson(
        list,
        3,
        ((await persons(list))[2] ?? { person: Buffer.alloc(0) }).person.subarray(0, 30),
      );
      await assertPage(list, [1, 3]);
    });

    it('that were swapped between rows make both rows unreadable', async () => {
      const list = await filled();
      const [first, second] = await persons(list);
      assert.ok(first && second);
      await writePerson(list, 1, second.person);
      await writePerson(list, 2, first.person);
      await assertPage(list, [1, 2]);
      assertError(await list.lookup('p1@example.com'), 500, 'internal_error');
    });

    it('that were moved from another waitlist make their row unreadable', async () => {
      const [list, other] = [await filled(), await filled()];
      await writePerson(list, 1, ((await persons(other))[0] ?? { person: Buffer.alloc(0) }).person);
      await assertPage(list, [1]);
      await assertPage(other, []);
    });

    it('of a damaged referrer leave the person they referred readable', async () => {
      const list = await filled();
      await list.signup({ email: 'p5@example.com', referredBy: 'p4@example.com' });
      await damage(list, 4);
      const { body } = await list.page();
      assertClosed(body.entries[3]);
      assert.deepEqual([body.entries[4]?.email, body.entries[4]?.referredBy], ['p5@example.com', null]);
      const { status, body: entry } = await list.lookup('p5@example.com');
      assert.equal(status, 200);
      assert.deepEqual([entry.email, entry.referredBy], ['p5@example.com', null]);
    });

    it('still count as duplicates when damaged, because hashes are stored separately', async () => {
      const list = await filled();
      await damage(list, 1);
      assert.equal((await list.signup({ email: 'p1@example.com' })).body.skipped, 1);
    });

    it('of a damaged invite make it unusable and leave it as it is', async () => {
      const list = await filled();
      const [broken, good] = [await list.invite('p1@example.com'), await list.invite('p2@example.com')];
      const { db } = service.context;
      const { id: queueId } = await list.queue();
      const invites = () =>
        db.query.selectFrom('invite').selectAll().where('queue_id', '=', queueId).orderBy('id');
      const [row] = await invites().execute();
      assert.ok(row);
      const sealed = Buffer.from(row.sealed);
      sealed[sealed.length - 1] = (sealed.at(-1) ?? 0) ^ 1;
      await db.query.updateTable('invite').set({ sealed }).where('id', '=', row.id).execute();
      const codes = [broken.code, good.code];
      const statuses = await Promise.all(codes.map(async (code) => (await service.check(code)).status));
      assert.deepEqual([...statuses].sort(), [200, 500]);
      const hurt = codes[statuses.indexOf(500)] ?? '';
      assertError(await service.accept(hurt), 500, 'internal_error');
      assert.ok((await invites().execute()).every(({ accepted_at }) => accepted_at === null));
      assert.equal((await service.accept(codes[statuses.indexOf(200)] ?? '')).status, 200);
    });

    it('that hold the keys of a queue make only that queue unreadable when damaged', async () => {
      const [list, other] = [await service.waitlist(), await service.waitlist()];
      const { db } = service.context;
      const row = await db.query
        .selectFrom('queue')
        .innerJoin('waitlist', 'waitlist.id', 'queue.waitlist_id')
        .select(['queue.id', 'wrapped_keys'])
        .where('public_id', '=', list.id)
        .where('environment', '=', 'production')
        .executeTakeFirstOrThrow();
      const wrapped = Buffer.from(row.wrapped_keys);
      wrapped[50] = (wrapped[50] ?? 0) ^ 1;
      await db.query.updateTable('queue').set({ wrapped_keys: wrapped }).where('id', '=', row.id).execute();
      assertError(await list.signup({ email: 'a@example.com' }), 500, 'internal_error');
      assertError(await list.page(), 500, 'internal_error');
      assert.equal((await other.signup({ email: 'a@example.com' })).status, 201);
    });

    it('that cannot be opened are reported to the operator without their content', async () => {
      const list = await filled();
      await damage(list, 2);
      service.log.length = 0;
      await list.page();
      await list.lookup('p2@example.com');
      const reports = service.log.filter((line) => line.includes('cannot decrypt an entry'));
      assert.ok(reports.length >= 2);
      assert.doesNotMatch(service.log.join(''), /p2@|example\.com|1415555/);
    });
  });

  describe('the master key', () => {
    const keyFile = (storage: Storage) => path.join(storage.dataDir, 'master.key');
    const open = (storage: Storage, environment: Record<string, string> = {}) =>
      openContext(readConfig({ ...storage.environment, ...environment }), silent);
    const assertRefused = async (storage: Storage, environment: Record<string, string> = {}) => {
      const before = await fingerprint(storage);
      await assert.rejects(open(storage, environment), MasterKeyProblem);
      assert.deepEqual(await fingerprint(storage), before);
    };
    /** A storage with a waitlist of two, one of them invited, and no service on it. */
    const prepared = async (environment: Record<string, string> = {}) => {
      const storage = await createStorage(engine, { migrated: true });
      afterTest(storage.remove);
      const service = await startService(engine, { storage, environment });
      afterTest(service.close);
      const list = await service.waitlist();
      await list.signup({ email: 'a@example.com', metadata: { plan: 'pro' } }, { phone: '+14155550100' });
      const { code } = await list.invite('a@example.com');
      await service.close();
      return { storage, id: list.id, key: list.key, code };
    };
    type Prepared = Awaited<ReturnType<typeof prepared>>;
    const assertReadable = async (
      { storage, id, key, code }: Prepared,
      environment: Record<string, string> = {},
    ) => {
      const service = await startService(engine, { storage, environment });
      try {
        await assertServes(service, { id, key, code });
      } finally {
        await service.close();
      }
    };

    it('is created on the first start, readable only by its owner, and kept from then on', async () => {
      const { storage } = await prepared();
      assert.equal(statSync(keyFile(storage)).mode & 0o777, 0o600);
      const key = readFileSync(keyFile(storage), 'utf8');
      assert.equal(Buffer.from(key, 'base64').length, 32);
      await (await open(storage)).db.close();
      assert.equal(readFileSync(keyFile(storage), 'utf8'), key);
      assert.deepEqual(
        readdirSync(storage.dataDir).filter((name) => name.startsWith('master')),
        ['master.key'],
      );
    });

    it('prevents the start when it is wrong, and changes nothing', async () => {
      const made = await prepared();
      const { storage } = made;
      const right = readFileSync(keyFile(storage));
      writeFileSync(keyFile(storage), `${generateMasterKey()}\n`);
      await assertRefused(storage);
      writeFileSync(keyFile(storage), 'not a key');
      await assertRefused(storage);
      rmSync(keyFile(storage));
      await assertRefused(storage);
      assert.equal(existsSync(keyFile(storage)), false);
      writeFileSync(keyFile(storage), right);
      await assertRefused(storage, { DOORLIST_MASTER_KEY: generateMasterKey() });
      await assertReadable(made);
      await assertReadable(made, { DOORLIST_MASTER_KEY: right.toString().trim() });
    });

    it('can be rotated while the service runs: everything stays readable and deduplicated, and the old key opens nothing', async () => {
      const made = await prepared();
      const { storage } = made;
      const old = readFileSync(keyFile(storage));
      const one = await startService(engine, { storage });
      afterTest(one.close);
      const two = await startService(engine, { storage });
      afterTest(two.close);
      await assertServes(one, made);
      const { queues } = await rotateMasterKey(one.context);
      assert.ok(queues >= 2);
      assert.notDeepEqual(readFileSync(keyFile(storage)), old);
      assert.equal(statSync(keyFile(storage)).mode & 0o777, 0o600);
      assert.equal(existsSync(`${keyFile(storage)}.next`), false);
      for (const service of [one, two]) {
        await assertServes(service, made);
        const fresh = await service.waitlist();
        await fresh.signup({ email: 'new@example.com' });
        const across = listOver(clientFor((service === one ? two : one).url), fresh.id, fresh.key);
        assert.equal((await across.lookup('new@example.com')).status, 200);
      }
      await one.close();
      await two.close();
      await assertReadable(made);
      writeFileSync(keyFile(storage), old);
      await assertRefused(storage);
    });

    it('can be rotated by the command line while a server runs', async () => {
      const made = await prepared();
      const { storage } = made;
      const server = await startProcess(storage.environment);
      afterTest(server.stop);
      await assertServes(clientFor(server.url), made);
      const told = await commandJson<{ queues: number }>(storage.environment, 'master-key', 'rotate');
      assert.equal(told.queues, 2);
      await assertServes(clientFor(server.url), made);
      await jsonOf(storage.environment, 'waitlist', 'create', 'wl_later', '--name', 'Later');
      const { key } = await jsonOf<{ key: string }>(
        ...([
          storage.environment,
          'key',
          'create',
          '--waitlist',
          'wl_later',
          '--env',
          'production',
          '--read',
        ] as const),
      );
      const later = listOver(clientFor(server.url), 'wl_later', key);
      assert.equal((await later.signup({ email: 'a@example.com' })).status, 201);
      assert.equal((await server.stop()).code, 0);
      await assertReadable(made);
    });

    it('can be rotated by variables to the next key, which alone opens everything afterwards', async () => {
      const [current, next] = [generateMasterKey(), generateMasterKey()];
      const made = await prepared({ DOORLIST_MASTER_KEY: current });
      const { storage } = made;
      const withNext = {
        ...storage.environment,
        DOORLIST_MASTER_KEY: current,
        DOORLIST_MASTER_KEY_NEXT: next,
      };
      const unprepared = await typed(
        { ...storage.environment, DOORLIST_MASTER_KEY: current },
        'master-key',
        'rotate',
      );
      assert.equal(unprepared.code, 1);
      assert.match(unprepared.error, /DOORLIST_MASTER_KEY_NEXT/);
      const server = await startProcess(withNext);
      afterTest(server.stop);
      assert.equal((await typed(withNext, 'master-key', 'rotate')).code, 0);
      await assertServes(clientFor(server.url), made);
      await server.stop();
      await assertReadable(made, { DOORLIST_MASTER_KEY: next });
      await assertRefused(storage, { DOORLIST_MASTER_KEY: current });
      assert.equal(existsSync(keyFile(storage)), false);
    });

    it('survives a crash of its rotation before anything was rewrapped', async () => {
      const made = await prepared();
      const { storage } = made;
      const next = `${generateMasterKey()}\n`;
      writeFileSync(`${keyFile(storage)}.next`, next, { mode: 0o600 });
      await assertReadable(made);
      await jsonOf(storage.environment, 'master-key', 'rotate');
      assert.equal(readFileSync(keyFile(storage), 'utf8'), next);
      assert.equal(existsSync(`${keyFile(storage)}.next`), false);
      await assertReadable(made);
    });

    it('survives a crash of its rotation after everything was rewrapped', async () => {
      const made = await prepared();
      const { storage } = made;
      const file = keyFile(storage);
      copyFileSync(file, `${file}.kept`);
      await jsonOf(storage.environment, 'master-key', 'rotate');
      const next = readFileSync(file, 'utf8');
      renameSync(file, `${file}.next`);
      renameSync(`${file}.kept`, file);
      await assertReadable(made);
      const service = await startService(engine, { storage });
      afterTest(service.close);
      const later = await service.waitlist();
      await later.signup({ email: 'a@example.com' });
      await service.close();
      await jsonOf(storage.environment, 'master-key', 'rotate');
      assert.equal(readFileSync(file, 'utf8'), next);
      assert.equal(existsSync(`${file}.next`), false);
      await assertReadable(made);
      await assertReadable({ ...made, id: made.id });
    });
  });
});

/** The waitlist of `prepared` reads as it was written, knows its people, and takes new ones. */
async function assertServes(
  client: ReturnType<typeof clientFor>,
  { id, key, code }: { id: string; key: string; code: string },
): Promise<void> {
  const list = listOver(client, id, key);
  const { status, body, text } = await list.lookup('a@example.com');
  assert.equal(status, 200, text);
  assert.deepEqual([body.email, body.metadata, body.status], ['a@example.com', { plan: 'pro' }, 'invited']);
  assert.equal((await list.lookup('+14155550100')).status, 200);
  assert.equal((await list.signup({ email: 'A@example.com' }, { phone: '+14155550100' })).body.skipped, 2);
  assert.equal((await list.signup({ email: `${unique('p')}@example.com` })).status, 201);
  assert.equal((await client.check(code)).body.valid, true);
}

/** Puts something unmistakable into every field that must not be found again; returns what to look for. */
async function leaveCanaries(service: Service): Promise<Record<string, string>> {
  const list = await service.waitlist({ name: 'Plain Name Of The Waitlist' });
  const email = 'Canary.Person@canary-mail.example';
  await list.signup({ email: 'canary-referrer@canary-mail.example', phone: '+4915799887765' });
  await list.signup({
    email,
    phone: '+49 1579 9887766',
    metadata: { canaryMetadataKey: 'canaryMetadataValue', nested: { canaryInnerKey: ['canaryInnerValue'] } },
    referredBy: 'canary-referrer@canary-mail.example',
  });
  await list.signup({ email: 'canary-mailbox+tag@canary-mail.example', referredBy: email });
  await list.signup({ email: 'plain@example.com', referredBy: 'canary-stranger@canary-mail.example' });
  await list.signup({ email: 'canary refused', metadata: { canaryRefusedKey: 1 } });
  const invite = await list.invite(email);
  await service.check(invite.code);
  await service.accept(invite.code, {
    body: { email },
    headers: { 'idempotency-key': 'canary-idempotency', 'user-agent': 'canary-agent' },
  });
  const guest = await list.invite('canary-guest@canary-mail.example', {
    expiresAt: service.clock.now + 60_000,
  });
  await service.accept(guest.code, { body: { email: 'canary-wrong@canary-mail.example' } });
  const { body } = await list.lookup(email);
  await list.lookup('+4915799887766');
  await list.lookup('canary-unknown@canary-mail.example');
  await service.check(`canary-code-${'x'.repeat(300)}`);
  await service.request('GET', '/canary-path?canary-query=1');
  await service.request('GET', `/sdk/v1/waitlist/${list.id}/entries?cursor=canary-cursor`, { key: list.key });
  await list.page({ sort: 'position' });
  return {
    'an email': email,
    'a mailbox': 'canary-mailbox@canary-mail.example',
    'an email in lower case': email.toLowerCase(),
    'the domain of an email': 'canary-mail',
    'a phone': '4915799887766',
    'the phone of a referrer': '4915799887765',
    'a metadata key': 'canaryMetadataKey',
    'a metadata value': 'canaryMetadataValue',
    'an inner metadata key': 'canaryInnerKey',
    'an inner metadata value': 'canaryInnerValue',
    'an accepted code': invite.code,
    'the random part of a code': invite.code.slice(6),
    'an open code': guest.code,
    'a server key': list.key,
    'the random part of a server key': list.key.slice('dl_live_'.length),
    'a referral code': body.referralCode ?? '',
    'anything with a canary in it': 'canary',
  };
}

/** As bytes, as hexadecimal (how PostgreSQL prints them), as base64 without the edges, and in UTF-16. */
function spellings(needle: string): Buffer[] {
  const bytes = Buffer.from(needle);
  return [
    bytes,
    Buffer.from(bytes.toString('hex')),
    Buffer.from(bytes.toString('base64').replace(/=*$/, '').slice(0, -1)),
    Buffer.from(needle, 'utf16le'),
  ];
}
