import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { sendTestMail } from '../../src/mail/preview.ts';
import { eraseEntry } from '../../src/waitlist/entries/erase-entry.ts';
import type { Queue } from '../../src/waitlist/queue/queue.ts';
import { exportPerson as readPerson } from '../../src/waitlist/transfer/export/export-person.ts';
import { recountQueue } from '../../src/waitlist/upkeep/recount-queue.ts';
import { keepUp } from '../../src/waitlist/upkeep/upkeep.ts';
import { presentPerson } from '../../src/wire/export.ts';
import { crowdEmail, fillQueue } from '../support/crowd.ts';
import { forEachEngine, type Service, startService } from '../support/harness.ts';
import { dumpTables } from '../support/inspect.ts';
import { listen } from '../support/recorded-events.ts';
import { createStorage, type Storage } from '../support/storage.ts';

const exportPerson = async (...person: Parameters<typeof readPerson>) =>
  presentPerson(await readPerson(...person));

const EMAIL = 'Leaving.Person@gone.example';
const PHONE = '+4915799112233';
const METADATA = { company: 'Unforgettable Ltd', seats: 4711, beta: true, notes: { nested: 'deep secret' } };

forEachEngine('locks', (engine) => {
  describe('removing a person', () => {
    let storage: Storage;
    let service: Service;
    beforeEach(async () => {
      storage = await createStorage(engine, { migrated: true });
      service = await startService(engine, { storage });
    });
    afterEach(async () => {
      await service.close();
      await storage.remove();
    });

    it('leaves no plain text, encrypted bytes or hashes in the database', async () => {
      const { list, queue, codes } = await liveALife(service);
      const before = { ...(await sealedBytes(service, queue)), ...personalHashes(queue) };
      const storedBefore = await everythingStored(storage);
      for (const [what, bytes] of Object.entries(before))
        assert.ok(storedBefore(bytes), `${what} is stored before`);

      await eraseEntry(service.context, queue, EMAIL.toUpperCase());
      const { accepted, open, expired } = codes;
      assert.equal((await service.check(accepted)).body.valid, false);
      const reasonOf = async (code: string) =>
        ((await service.check(code)).body as { reason: string }).reason;
      assert.deepEqual(
        [await reasonOf(accepted), await reasonOf(open), await reasonOf(expired)],
        ['accepted', 'revoked', 'revoked'],
      );
      assert.equal((await service.accept(open)).status, 410);
      assert.equal(
        (await service.accept(accepted, { headers: { 'idempotency-key': 'once' } })).status,
        409,
        'not even the remembered answer',
      );
      assert.deepEqual((await recountQueue(service.context, queue, false)).findings, []);
      const others = await list.walk();
      assert.deepEqual(
        others.map(({ email, status }) => [email, status]),
        [
          ['first@example.com', 'waiting'],
          [null, 'removed'],
          ['friend@example.com', 'waiting'],
        ],
      );
      const plain = Object.fromEntries(
        [EMAIL, EMAIL.toLowerCase(), PHONE, 'Unforgettable', 'deep secret', ...Object.values(codes)].map(
          (text) => [text, Buffer.from(text)],
        ),
      );
      const storedAfter = await everythingStored(storage);
      for (const [what, bytes] of Object.entries({ ...plain, ...before }))
        assert.equal(storedAfter(bytes), false, `${what} is still stored`);
    });

    it('leaves no copies in tables that have grown since', async () => {
      const list = await service.waitlist();
      const queue = await list.queue();
      await fillQueue(service.context, queue, 1_200, (n) => ({
        email: crowdEmail(n),
        metadata: { n, note: 'x'.repeat((n * 37) % 300) },
      }));
      const leaving = Array.from({ length: 40 }, (_, i) => i * 29 + 7);
      const entries = await service.context.db.query
        .selectFrom('entry')
        .select(['seq', 'person', 'email_hash'])
        .where('queue_id', '=', queue.id)
        .orderBy('seq')
        .execute();
      const traces = leaving.flatMap((n) => {
        const { person, email_hash } = entries[n] ?? {};
        assert.ok(person && email_hash);
        return [Buffer.from(person), Buffer.from(email_hash), queue.vault.hash('metadata', `["n",${n}]`)];
      });
      for (const n of leaving) await eraseEntry(service.context, queue, crowdEmail(n));
      const stored = await everythingStored(storage);
      assert.equal(traces.filter((trace) => stored(trace)).length, 0, `of ${traces.length} traces`);
    });

    it('makes an export of the person answer 404', async () => {
      const { queue, codes } = await liveALife(service);
      const held = await exportPerson(service.context, queue, PHONE);
      assert.equal(held.waitlist.id, queue.waitlist.id);
      assert.equal(held.environment, 'production');
      assert.ok(held.entry);
      const { email, phone, metadata, referredBy } = held.entry;
      assert.deepEqual([email, phone, metadata, referredBy], [EMAIL, PHONE, METADATA, 'first@example.com']);
      assert.deepEqual(held.invites.map(({ code }) => code).sort(), Object.values(codes).sort());
      assert.deepEqual(held.invites.map(({ state }) => state).sort(), ['accepted', 'expired', 'live']);
      assert.deepEqual(held.events.map(({ kind }) => kind).sort(), [
        'email.invite',
        'email.invite',
        'email.invite',
        'invite.accepted',
        'invite.expired',
        'invite.sent',
        'invite.sent',
        'invite.sent',
        'referral.credited',
        'signup.created',
        'signup.created',
      ]);
      for (const { body } of held.events) assert.match(JSON.stringify(body), /gone\.example/i);
      await eraseEntry(service.context, queue, held.entry.id);
      await assert.rejects(exportPerson(service.context, queue, PHONE), { code: 'not_found' });
      await assert.rejects(exportPerson(service.context, queue, EMAIL), { code: 'not_found' });
      await assert.rejects(eraseEntry(service.context, queue, EMAIL), { code: 'not_found' });
    });

    it('erases people who were invited and never signed up', async () => {
      const list = await service.waitlist();
      const queue = await list.queue();
      await listen(service.context, queue);
      const { code } = await list.invite(EMAIL);
      await list.invite('other@example.com');
      const held = await exportPerson(service.context, queue, EMAIL);
      assert.deepEqual([held.entry, held.invites.map((invite) => invite.code)], [null, [code]]);
      assert.deepEqual(held.events.map(({ kind }) => kind).sort(), ['email.invite', 'invite.sent']);
      const traces = [
        ...Object.values(await sealedTold(service, queue)),
        queue.vault.hash('email', EMAIL.toLowerCase()),
      ];
      const storedBefore = await everythingStored(storage);
      assert.ok(traces.length === 4 && traces.every((trace) => storedBefore(trace)));

      assert.deepEqual(await eraseEntry(service.context, queue, EMAIL), { id: null });
      assert.equal((await service.accept(code)).status, 410);
      await assert.rejects(exportPerson(service.context, queue, EMAIL), { code: 'not_found' });
      await assert.rejects(eraseEntry(service.context, queue, EMAIL), { code: 'not_found' });
      await assert.rejects(eraseEntry(service.context, queue, PHONE), { code: 'not_found' });
      const stored = await everythingStored(storage);
      for (const trace of traces) assert.ok(!stored(trace));
      assert.equal((await exportPerson(service.context, queue, 'other@example.com')).invites.length, 1);
    });

    it('erases test emails to the person, and those that show the person to an operator', async () => {
      const { queue } = await liveALife(service);
      const { context } = service;
      await sendTestMail(context, queue, { kind: 'welcome', to: EMAIL });
      await sendTestMail(context, queue, { kind: 'welcome', entry: EMAIL, to: 'operator@example.com' });
      const bodies = (await sealedEvents(service, queue, /"test":true/)).map(({ body }) => body);
      assert.equal(bodies.length, 2);
      const held = await exportPerson(context, queue, EMAIL);
      assert.equal(held.events.filter(({ kind }) => kind === 'email.welcome').length, 2);

      await eraseEntry(context, queue, EMAIL);
      const stored = await everythingStored(storage);
      for (const body of bodies) assert.ok(!stored(body));
    });

    it('erases people who only got a test email', async () => {
      const list = await service.waitlist();
      const queue = await list.queue();
      const { context } = service;
      await sendTestMail(context, queue, { kind: 'welcome', to: EMAIL });
      const [mail] = await sealedEvents(service, queue, /"test":true/);
      assert.ok(mail);
      assert.equal((await exportPerson(context, queue, EMAIL)).events.length, 1);
      assert.deepEqual(await eraseEntry(context, queue, EMAIL), { id: null });
      const stored = await everythingStored(storage);
      assert.ok(!stored(mail.body));
      assert.ok(!stored(queue.vault.hash('email', EMAIL.toLowerCase())));
      await assert.rejects(eraseEntry(context, queue, EMAIL), { code: 'not_found' });
      await assert.rejects(exportPerson(context, queue, EMAIL), { code: 'not_found' });
    });

    if (engine === 'sqlite')
      it('overwrites the files as soon as a blocking reader is done', async () => {
        const { queue } = await liveALife(service);
        const before = { ...(await sealedBytes(service, queue)), ...personalHashes(queue) };
        const reader = new DatabaseSync(path.join(storage.dataDir, 'doorlist.db'), { readOnly: true });
        try {
          reader.exec('begin; select count(*) from entry');
          await eraseEntry(service.context, queue, EMAIL);
          await keepUp(service.context);
          const stored = await everythingStored(storage);
          assert.ok(
            Object.values(before).some((bytes) => stored(bytes)),
            'the reader sees what was',
          );
        } finally {
          reader.close();
        }
        await keepUp(service.context);
        const stored = await everythingStored(storage);
        for (const [what, bytes] of Object.entries(before))
          assert.equal(stored(bytes), false, `${what} is still stored`);
      });

    it('lets the same person sign up again as a new entry', async () => {
      const { list, queue } = await liveALife(service);
      const { body: before } = await list.lookup(EMAIL);
      await eraseEntry(service.context, queue, EMAIL);
      const again = { email: EMAIL, phone: PHONE, referredBy: before.referralCode };
      assert.deepEqual((await list.signup(again)).body, { success: true, created: 1, skipped: 0 });
      const { body: after } = await list.lookup(EMAIL);
      assert.deepEqual(
        [after.status, after.referrals, after.referredBy, after.metadata, after.invitedAt, after.joinedAt],
        ['waiting', 0, null, null, null, null],
      );
      assert.notEqual(after.id, before.id);
      assert.notEqual(after.referralCode, before.referralCode);
      const held = await exportPerson(service.context, queue, EMAIL);
      assert.deepEqual(held.invites, []);
      assert.deepEqual(
        held.events.map(({ kind }) => kind),
        ['signup.created'],
      );
      assert.deepEqual((await recountQueue(service.context, queue, false)).findings, []);
    });
  });
});

/** Somebody who was referred, referred somebody, was invited three times, accepted once, and was told of each time. */
async function liveALife(service: Service) {
  const list = await service.waitlist();
  const queue = await list.queue();
  await listen(service.context, queue);
  await list.signup({ email: 'first@example.com' });
  await list.signup({ email: EMAIL, phone: PHONE, metadata: METADATA, referredBy: 'first@example.com' });
  await list.signup({ email: 'friend@example.com', referredBy: EMAIL });
  await beAwaitedByAnImport(service, queue);
  const { code: expired } = await list.invite(EMAIL, { expiresAt: service.clock.now + 1_000 });
  service.clock.advance(2_000);
  assert.equal(await service.expire(list), 1);
  const { code: accepted } = await list.invite(EMAIL);
  const { code: open } = await list.invite(EMAIL);
  const answer = await service.accept(accepted, { headers: { 'idempotency-key': 'once' } });
  assert.equal(answer.status, 200, answer.text);
  return { list, queue, codes: { expired, accepted, open } };
}

/** An import that was not finished keeps the hashes of who was named as a referrer, and of former codes. */
async function beAwaitedByAnImport({ context }: Service, { id: queue_id, vault }: Queue): Promise<void> {
  const job_id = Buffer.alloc(16, 7);
  const hash = vault.hash('phone', PHONE);
  const { query } = context.db;
  await query.insertInto('import_link').values({ queue_id, job_id, seq: 3, kind: 'phone', hash }).execute();
  const code_hash = vault.hash('import', 'FORMER-CODE');
  await query.insertInto('import_code').values({ queue_id, job_id, code_hash, seq: 2 }).execute();
}

/** Everything sealed that shows the person. */
async function sealedBytes(service: Service, queue: Queue): Promise<Record<string, Buffer>> {
  const { query } = service.context.db;
  const kept: Record<string, Buffer> = {};
  const entries = await query
    .selectFrom('entry')
    .select(['id', 'person', 'email_hash'])
    .where('queue_id', '=', queue.id)
    .execute();
  const hash = queue.vault.hash('email', EMAIL.toLowerCase());
  const entry = entries.find(({ email_hash }) => email_hash && hash.equals(email_hash));
  assert.ok(entry?.person);
  kept['the sealed person'] = Buffer.from(entry.person);
  const invites = await sealedTold(service, queue);
  assert.equal(Object.keys(invites).filter((name) => name.startsWith('sealed invite')).length, 3);
  return { ...kept, ...invites };
}

/** Invites of the person, and events that show them. */
async function sealedTold({ context }: Service, queue: Queue): Promise<Record<string, Buffer>> {
  const { query } = context.db;
  const kept: Record<string, Buffer> = {};
  const invites = await query
    .selectFrom('invite')
    .select(['id', 'sealed', 'accept_answer'])
    .where('queue_id', '=', queue.id)
    .where('email_hash', '=', queue.vault.hash('email', EMAIL.toLowerCase()))
    .execute();
  for (const [n, { sealed, accept_answer }] of invites.entries()) {
    kept[`sealed invite ${n}`] = Buffer.from(sealed);
    if (accept_answer) kept['the sealed answer'] = Buffer.from(accept_answer);
  }
  for (const [n, { kind, body }] of (await sealedEvents({ context }, queue, /gone\.example/i)).entries())
    kept[`event ${n}, ${kind}`] = body;
  return kept;
}

/** Events whose body says so. */
async function sealedEvents(
  { context }: Pick<Service, 'context'>,
  queue: Queue,
  said: RegExp,
): Promise<{ kind: string; body: Buffer }[]> {
  const events = await context.db.query
    .selectFrom('event')
    .select(['id', 'kind', 'body'])
    .where('queue_id', '=', queue.id)
    .execute();
  return events.flatMap(({ id, kind, body }) =>
    body && said.test(queue.vault.open<string>('event.body', id, body))
      ? [{ kind, body: Buffer.from(body) }]
      : [],
  );
}

function personalHashes({ vault }: Queue): Record<string, Buffer> {
  return {
    'the hash of the email': vault.hash('email', EMAIL.toLowerCase()),
    'the hash of the phone': vault.hash('phone', PHONE),
    'the hash of a pair': vault.hash('metadata', JSON.stringify(['company', METADATA.company])),
    'the hash of a number': vault.hash('metadata', JSON.stringify(['seats', METADATA.seats])),
    'the hash of a former code': vault.hash('import', 'FORMER-CODE'),
    'the hash of the Idempotency-Key': vault.hash('idempotency', 'once'),
  };
}

/** Tells whether bytes are in any row of any table, or anywhere in the files of SQLite. */
async function everythingStored(storage: Storage): Promise<(bytes: Buffer) => boolean> {
  if (storage.engine === 'sqlite') {
    const files = fileBytes(storage);
    return (bytes) => files.includes(bytes);
  }
  const dump = await dumpTables(storage);
  return (bytes) => dump.includes(bytes.toString('hex')) || dump.includes(bytes.toString('utf8'));
}

function fileBytes({ dataDir }: Storage): Buffer {
  return Buffer.concat(readdirSync(dataDir).map((name) => readFileSync(path.join(dataDir, name))));
}
