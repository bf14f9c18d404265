import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { COMMAND_GROUPS, loadCommands } from '../src/commands/command-groups.ts';
import { readConfig } from '../src/config/config.ts';
import { SCHEMA_VERSION } from '../src/db/migrate.ts';
import { openContext, openDatabase } from '../src/installation/open.ts';
import { createLogger } from '../src/lib/log.ts';
import { VERSION } from '../src/lib/root.ts';
import { afterTest } from './support/cleanup.ts';
import { freePort } from './support/free-port.ts';
import { type Client, clientFor, eventually, forEachEngine, listOver } from './support/harness.ts';
import { fingerprint } from './support/inspect.ts';
import {
  commandJson,
  type Finished,
  type RunningProcess,
  runCommand,
  startProcess,
} from './support/process.ts';
import { createStorage, type Storage } from './support/storage.ts';
import { jsonOf, runHere } from './support/terminal.ts';

const silent = createLogger('silent');

const assertUsage = ({ code, stderr }: Finished, message: RegExp) => {
  assert.equal(code, 2);
  assert.match(stderr, message);
  assert.doesNotMatch(stderr, /^\s+at /m);
};
const TRY_AGAIN = 75;

const assertFailed = ({ code, stderr }: Finished, message: RegExp, expected = 1) => {
  assert.match(stderr, message);
  assert.equal(code, expected);
  assert.doesNotMatch(stderr, /^\s+at /m, 'a stack is for defects');
};

forEachEngine((engine) => {
  describe('the first start', () => {
    it('creates the data directory, a private master key and the schema, and prints the next steps', async () => {
      const storage = await createStorage(engine);
      afterTest(storage.remove);
      const dataDir = path.join(storage.dataDir, 'new', 'data');
      const environment = { ...storage.environment, DOORLIST_DATA_DIR: dataDir };
      const server = await startProcess(environment);
      afterTest(server.stop);
      assert.equal(statSync(path.join(dataDir, 'master.key')).mode & 0o777, 0o600);
      assert.equal(statSync(dataDir).mode & 0o777, 0o700);
      const { body } = await clientFor(server.url).request('GET', '/readyz');
      assert.deepEqual(body, { status: 'ok' });
      const { code, stderr } = await server.stop();
      assert.deepEqual([code, stderr], [0, '']);
      for (const hint of [server.url, 'waitlist create', 'key create', 'curl', '/docs']) {
        assert.ok(server.output().includes(hint), hint);
      }
    });

    it('works in several processes at once on an empty database', async () => {
      const storage = await createStorage(engine);
      afterTest(storage.remove);
      const one = engine === 'sqlite'; // It has one server; commands may come first there as well.
      const starts = Array.from({ length: one ? 1 : 4 }, () => startProcess(storage.environment));
      const migrations = Array.from({ length: one ? 3 : 0 }, () =>
        commandJson(storage.environment, 'migrate'),
      );
      for (const start of starts) afterTest(async () => (await start).stop());
      const [servers] = await Promise.all([Promise.all(starts), Promise.all(migrations)]);
      const key = readFileSync(path.join(storage.dataDir, 'master.key'), 'utf8');
      const [first] = servers;
      const created = await jsonOf(storage.environment, 'waitlist', 'create', 'wl_race', '--name', 'Race');
      assert.equal(created.id, 'wl_race');
      const product = await jsonOf<{ key: string }>(
        storage.environment,
        'key',
        'create',
        '--product',
        '--env',
        'production',
      );
      for (const [n, { url }] of servers.entries()) {
        const list = listOver(clientFor(url), 'wl_race', product.key);
        assert.equal((await list.signup({ email: `p${n}@example.com` })).status, 201);
        assert.equal((await list.page()).body.total, n + 1);
      }
      assert.ok(first);
      const ends = await Promise.all(servers.map((server) => server.stop()));
      assert.deepEqual(
        ends.map(({ code }) => code),
        servers.map(() => 0),
      );
      assert.equal(readFileSync(path.join(storage.dataDir, 'master.key'), 'utf8'), key);
    });

    it('may be a migrate command', async () => {
      const storage = await createStorage(engine);
      afterTest(storage.remove);
      const fresh = await commandJson(storage.environment, 'migrate');
      assert.deepEqual(fresh, { from: 0, schema: SCHEMA_VERSION });
      assert.deepEqual(await jsonOf(storage.environment, 'migrate'), {
        from: SCHEMA_VERSION,
        schema: SCHEMA_VERSION,
      });
      const told = await runHere(storage.environment, 'migrate');
      assert.match(told.stdout, new RegExp(`up to date \\(version ${SCHEMA_VERSION}\\)`));
    });
  });

  describe('commands beside a running server', () => {
    let storage: Storage;
    let server: RunningProcess;
    let client: Client;
    before(async () => {
      storage = await createStorage(engine, { migrated: true });
      server = await startProcess(storage.environment);
      client = clientFor(server.url);
      await jsonOf(storage.environment, 'waitlist', 'create', 'wl_acme', '--name', 'Acme');
    });
    after(async () => {
      assert.equal((await server.stop()).code, 0);
      await storage.remove();
    });

    /** As a separate process, once for each kind of command; the rest run in this process. */
    const apart = <T = Record<string, unknown>>(...words: string[]) =>
      commandJson<T>(storage.environment, ...words);
    const here = (...words: string[]) => runHere(storage.environment, ...words);
    const json = <T = Record<string, unknown>>(...words: string[]) =>
      jsonOf<T>(storage.environment, ...words);
    const text = async (...words: string[]) => {
      const { code, stdout, stderr } = await here(...words);
      assert.deepEqual([code, stderr], [0, '']);
      return stdout;
    };
    interface Key {
      id: string;
      key: string;
      grants: string[];
      environment: string;
      waitlistId: string | null;
      expiresAt: string | null;
      revokedAt: string | null;
    }
    const newKey = (...words: string[]) => json<Key>('key', 'create', '--env', 'production', ...words);
    const signup = async (key: string, email: string) =>
      (await listOver(client, 'wl_acme', key).signup({ email })).status;
    const becomes = async (wanted: number, ask: () => Promise<number>) =>
      assert.equal(await eventually(ask, (status) => status === wanted), wanted);

    it('create and list waitlists', async () => {
      const created = await apart('waitlist', 'create', 'wl_made', '--name', 'Made “here”');
      assert.deepEqual(
        [created.id, created.name, created.boost, created.closedAt],
        ['wl_made', 'Made “here”', 5, null],
      );
      const listed = await json<{ id: string }[]>('waitlist', 'list');
      assert.deepEqual(
        listed.map(({ id }) => id),
        ['wl_acme', 'wl_made'],
      );
      assert.match(await text('waitlist', 'list'), /^ID .*NAME.*\nwl_acme +Acme .*\nwl_made /);
      assert.match(
        await text('waitlist', 'create', 'wl_other', '--name', 'Other'),
        /Created wl_other \("Other"\)/,
      );
    });

    it('escape control characters in what people sent', async () => {
      const hostile = 'a\u001b[2Jb\u009b31mc\u202ed\u2066e\u007f';
      const shown = 'a\\u001b[2Jb\\u009b31mc\\u202ed\\u2066e\\u007f';
      await json('waitlist', 'create', 'wl_bidi', '--name', 'Bidi \u202egnp.exe');
      assert.match(await text('waitlist', 'list'), /wl_bidi +Bidi \\u202egnp\.exe /);
      const { key } = await newKey('--waitlist', 'wl_acme');
      await listOver(client, 'wl_acme', key).signup({
        email: 'hostile@example.com',
        metadata: { note: hostile },
      });
      const words = ['entry', 'export', 'hostile@example.com', '--waitlist', 'wl_acme'];
      assert.ok((await text(...words)).includes(shown));
      const { stdout } = await here(...words, '--json');
      assert.ok(stdout.includes(shown));
      assert.equal(JSON.parse(stdout).entry.metadata.note, hostile, 'the value is the same');
      const refused = await here('waitlist', 'close', 'wl_\u001b[2J');
      assertFailed(refused, /there is no waitlist wl_\\u001b\[2J/);
    });

    it('list every waitlist, however many there are', async () => {
      const many = await createStorage(engine);
      try {
        const context = await openContext(readConfig(many.environment), silent);
        const row = (n: number) => ({
          public_id: `wl_${String(n).padStart(5, '0')}`,
          name: 'One of many',
          boost: 5,
          closed_at: null,
          created_at: 1,
        });
        const rows = Array.from({ length: 2_001 }, (_, n) => row(n));
        await context.db.query.insertInto('waitlist').values(rows).execute();
        await context.db.close();
        const listed = await runHere(many.environment, 'waitlist', 'list', '--json');
        assert.equal(JSON.parse(listed.stdout).length, 2_001);
      } finally {
        await many.remove();
      }
    });

    it('reject waitlists that exist or are invalid', async () => {
      assertFailed(await here('waitlist', 'create', 'wl_acme', '--name', 'Again'), /wl_acme already exists/);
      for (const id of [
        'acme',
        'wl_',
        'wl_Acme',
        'wl_-a',
        'wl_ä',
        `wl_${'a'.repeat(63)}`,
        'wl_a b',
        'WL_a',
      ]) {
        assertFailed(await here('waitlist', 'create', id, '--name', 'X'), /^doorlist: id: /);
      }
      for (const name of [' ', 'x'.repeat(201), 'a\nb']) {
        assertFailed(
          await here('waitlist', 'create', 'wl_named', '--name', name),
          /name: must be 1 to 200 characters/,
        );
      }
      assertUsage(await here('waitlist', 'create', 'wl_x'), /--name is required/);
      assertUsage(await here('waitlist', 'create', '--name', 'X'), /WAITLIST_ID is required/);
      const longest = `wl_${'a'.repeat(62)}`;
      assert.equal((await json('waitlist', 'create', longest, '--name', 'x'.repeat(200))).id, longest);
    });

    it('close and open a waitlist, and the server follows', async () => {
      const { key } = await newKey('--waitlist', 'wl_acme');
      assert.equal(await signup(key, 'before@example.com'), 201);
      assert.partialDeepStrictEqual(await apart('waitlist', 'close', 'wl_acme'), {
        id: 'wl_acme',
        closed: true,
      });
      await becomes(409, () => signup(key, 'while@example.com'));
      assert.match(await text('waitlist', 'list'), /wl_acme +Acme +5 +\d{4}-/);
      assert.match(await text('waitlist', 'open', 'wl_acme'), /Opened wl_acme/);
      await becomes(201, () => signup(key, 'after@example.com'));
      assertFailed(await here('waitlist', 'close', 'wl_nowhere'), /there is no waitlist wl_nowhere/);
    });

    it('create keys of every kind, shown once, which the server accepts at once', async () => {
      const writer = await apart<Key>('key', 'create', '--env', 'production', '--waitlist', 'wl_acme');
      const reader = await newKey('--waitlist', 'wl_acme', '--read');
      const product = await newKey('--product');
      assert.match(writer.key, /^dl_live_/);
      assert.deepEqual(writer.grants, ['waitlist:write']);
      assert.deepEqual(reader.grants, ['waitlist:write', 'waitlist:read']);
      assert.deepEqual([product.waitlistId, product.grants], [null, ['waitlist:write', 'waitlist:read']]);
      const page = async (key: string) => (await listOver(client, 'wl_acme', key).page()).status;
      assert.deepEqual(
        [await page(writer.key), await page(reader.key), await page(product.key)],
        [403, 200, 200],
      );
      const listed = await json<Key[]>('key', 'list');
      assert.ok([writer, reader, product].every(({ id }) => listed.some((each) => each.id === id)));
      const shown = (await text('key', 'list')) + JSON.stringify(listed);
      for (const { key } of [writer, reader, product]) assert.ok(!shown.includes(key), 'a key is shown once');
      const quiet = await text('key', 'create', '--waitlist', 'wl_acme', '--env', 'production', '--quiet');
      assert.match(quiet, /^dl_live_[0-9A-Za-z]{34}\n$/);
      const told = await text('key', 'create', '--product', '--env', 'development');
      assert.match(told, /^dl_test_[0-9A-Za-z]{34}\n\n.*not shown again.*key_/);
    });

    it('reject invalid keys', async () => {
      assertUsage(await here('key', 'create', '--env', 'production'), /use either --waitlist or --product/);
      assertUsage(
        await here('key', 'create', '--env', 'production', '--product', '--waitlist', 'wl_acme'),
        /or --product/,
      );
      assertUsage(await here('key', 'create', '--product'), /--env is required/);
      assertFailed(await here('key', 'create', '--product', '--env', 'moon'), /there is no environment moon/);
      assertFailed(
        await here('key', 'create', '--waitlist', 'wl_no', '--env', 'production'),
        /no waitlist wl_no/,
      );
      const create = ['key', 'create', '--product', '--env', 'production'];
      assertUsage(await here(...create, '--expires-in', 'soon'), /must be a duration/);
      assertUsage(await here(...create, '--expires-at', 'tomorrow'), /must be an ISO 8601 time/);
      assertUsage(
        await here(...create, '--expires-in', '1h', '--expires-at', '2030-01-01'),
        /only one of --expires-in, --expires-at/,
      );
      assertFailed(await here(...create, '--expires-at', '2020-01-01T00:00:00Z'), /must be in the future/);
      const odd = [
        ...['2099-02-30T00:00:00Z', '2099-01-01T10:00', '2099-01-01T10:00:00', '2099-13-01', '2099-02-29'],
        ...[
          '2099-01-01T25:00:00Z',
          '2099-01-01 10:00:00Z',
          '2099-01-01T10:00:00+9',
          '2099-01-01T10:00:00 CET',
        ],
      ];
      for (const time of odd)
        assertUsage(await here(...create, '--expires-at', time), /--expires-at: must be an ISO 8601 time/);
      assertUsage(await here(...create, '--expires-in', '99999999d'), /--expires-in: must be a duration/);
      for (const [time, same] of [
        ['2096-02-29T10:00:00+09:30', '2096-02-29T00:30:00.000Z'],
        ['2096-02-29', '2096-02-29T00:00:00.000Z'],
        ['2096-02-29T10:00Z', '2096-02-29T10:00:00.000Z'],
      ] as const)
        assert.equal((await newKey('--product', '--expires-at', time)).expiresAt, same);
    });

    it('revoke a key, and the server refuses it at once', async () => {
      const { id, key } = await newKey('--waitlist', 'wl_acme', '--expires-in', '1h');
      assert.equal(await signup(key, 'revoked-1@example.com'), 201);
      assert.deepEqual(await apart('key', 'revoke', id), { id, revoked: true });
      await becomes(401, () => signup(key, 'revoked-2@example.com'));
      const listed = (await json<Key[]>('key', 'list')).find((each) => each.id === id);
      assert.ok(listed?.revokedAt && listed.expiresAt);
      assert.match(await text('key', 'list'), new RegExp(`${id} .* revoked`));
      assertFailed(await here('key', 'revoke', id), /no active key/);
      assertFailed(await here('key', 'revoke', 'nonsense'), /there is no active key nonsense/);
    });

    it('rotate a key with or without an overlap', async () => {
      const old = await newKey('--waitlist', 'wl_acme', '--read');
      const next = await json<Key>('key', 'rotate', old.id, '--overlap', '1h');
      assert.deepEqual(
        [next.grants, next.waitlistId, next.environment],
        [old.grants, 'wl_acme', 'production'],
      );
      assert.equal(await signup(old.key, 'old@example.com'), 201);
      assert.equal(await signup(next.key, 'next@example.com'), 201);
      const last = await text('key', 'rotate', next.id, '--overlap', '0', '--quiet');
      await becomes(401, () => signup(next.key, 'gone@example.com'));
      assert.equal(await signup(last.trim(), 'last@example.com'), 201);
      assertUsage(await here('key', 'rotate', old.id, '--overlap', 'long'), /must be a duration/);
      assertFailed(await here('key', 'rotate', next.id), /there is no active key/);
    });

    it('create environments, which every waitlist then has', async () => {
      assert.partialDeepStrictEqual(await json('environment', 'create', 'staging'), { name: 'staging' });
      const listed = (await text('environment', 'list')).trim().split('\n');
      assert.deepEqual(listed.sort(), ['development', 'production', 'staging']);
      const { key } = await json<Key>('key', 'create', '--waitlist', 'wl_acme', '--env', 'staging');
      assert.match(key, /^dl_test_/);
      assert.equal(await signup(key, 'staged@example.com'), 201);
      await json('waitlist', 'create', 'wl_later', '--name', 'Later');
      const later = await json<Key>('key', 'create', '--waitlist', 'wl_later', '--env', 'staging', '--read');
      assert.equal((await listOver(client, 'wl_later', later.key).page()).status, 200);
      assertFailed(await here('environment', 'create', 'staging'), /staging already exists/);
      assertFailed(await here('environment', 'create', 'Not This'), /name: must be/);
    });

    it('create and revoke invites, by id and by code, and the server follows', async () => {
      const words = ['invite', 'create', '--waitlist', 'wl_acme', '--email'];
      type Invite = { id: string; code: string; url: string; email: string; expiresAt: string | null };
      const one = await json<Invite>(...words, 'Guest@example.com', '--expires-in', '7d');
      assert.match(one.id, /^inv_/);
      assert.equal(one.email, 'Guest@example.com');
      assert.ok(one.url.endsWith(`/join/${one.code}`));
      assert.ok(Math.abs(Date.parse(one.expiresAt ?? '') - Date.now() - 7 * 86_400_000) < 60_000);
      assert.equal((await client.check(one.code)).body.valid, true);
      assert.deepEqual(await json('invite', 'revoke', one.id), { id: one.id, revoked: true });
      assert.deepEqual((await client.check(one.code)).body, {
        valid: false,
        reason: 'revoked',
        expiresAt: one.expiresAt,
      });
      const two = await json<Invite>(
        ...words,
        'two@example.com',
        '--expires-at',
        '2099-01-01T00:00:00Z',
        '--env',
        'development',
      );
      assert.equal(two.expiresAt, '2099-01-01T00:00:00.000Z');
      assert.match(await text('invite', 'revoke', two.code), /Revoked inv_/);
      assertFailed(await here('invite', 'revoke', two.id), /already revoked/);
      assertFailed(await here('invite', 'revoke', 'nonsense'), /there is no invite/);
      assertFailed(await here(...words, 'nonsense'), /email: not an email address/);
      assertFailed(await here(...words, 'a@example.com', '--env', 'moon'), /there is no environment moon/);
      assertUsage(await here('invite', 'create', '--waitlist', 'wl_acme'), /--email is required/);
      assert.match(await text(...words, 'three@example.com'), /^[0-9a-z]{32}\n/);
    });

    it('print one JSON value with --json, even when they fail', async () => {
      const failed = await runCommand(storage.environment, 'waitlist', 'close', 'wl_nowhere', '--json');
      assert.equal(failed.code, 1);
      assert.deepEqual(JSON.parse(failed.stdout), {
        code: 'not_found',
        message: 'there is no waitlist wl_nowhere',
      });
      const mistyped = await here('waitlist', 'close', '--json');
      assert.equal(mistyped.code, 2);
      assert.equal(JSON.parse(mistyped.stdout).code, 'usage');
    });

    it('check everything with doctor, and report what is wrong', async () => {
      const { healthy } = await json<{ healthy: boolean }>('doctor');
      assert.equal(healthy, true);
      assert.match(await text('doctor'), /^ok .*master\.key\nok .*database: .*\n((ok|WARN) .*\n)+$/);
      const file = path.join(storage.dataDir, 'master.key');
      afterTest(() => chmodSync(file, 0o600));
      chmodSync(file, 0o644);
      const open = await here('doctor');
      chmodSync(file, 0o600);
      assert.equal(open.code, 1);
      assert.match(open.stdout, /WRONG +master key file: .*chmod 600/);
      const context = await openContext(readConfig(storage.environment), silent);
      afterTest(context.db.close);
      const queue = await context.registry.queue('wl_acme', 'production');
      const miscount = (waiting: number) =>
        context.db.query
          .updateTable('queue_state')
          .set((e) => ({ waiting: e('waiting', '+', waiting) }))
          .where('queue_id', '=', queue?.id ?? 0)
          .execute();
      await miscount(3);
      const off = await here('doctor', '--json');
      await miscount(-3);
      assert.equal(off.code, 1);
      const wrong = JSON.parse(off.stdout).findings.filter(({ ok }: { ok: boolean }) => !ok);
      assert.deepEqual(
        wrong.map(({ what }: { what: string }) => what),
        ['wl_acme in production'],
      );
    });
  });

  describe('a failed start', () => {
    it('is caused by a schema newer than the code, which stays as it is', async () => {
      const storage = await createStorage(engine);
      afterTest(storage.remove);
      await jsonOf(storage.environment, 'migrate');
      const db = await openDatabase(readConfig(storage.environment), silent);
      await db.transaction(async (trx) => {
        await trx
          .updateTable('schema_version' as never)
          .set({ version: SCHEMA_VERSION + 1, release: null } as never)
          .execute();
      });
      await db.close();
      const before = await fingerprint(storage);
      assertFailed(await runCommand(storage.environment, 'serve'), /start a newer release/, TRY_AGAIN);
      for (const words of [['migrate'], ['waitlist', 'list']])
        assertFailed(await runHere(storage.environment, ...words), /start a newer release/, TRY_AGAIN);
      assert.deepEqual(await fingerprint(storage), before);
      const examined = await runHere(storage.environment, 'doctor');
      assert.equal(examined.code, 1);
      assert.match(examined.stdout, /WRONG .*newer release/);
    });

    it('is caused by a wrong master key, with a message that says what to do', async () => {
      const storage = await createStorage(engine);
      afterTest(storage.remove);
      await jsonOf(storage.environment, 'migrate');
      writeFileSync(path.join(storage.dataDir, 'master.key'), `${Buffer.alloc(32, 9).toString('base64')}\n`);
      const before = await fingerprint(storage);
      assertFailed(await runCommand(storage.environment, 'serve'), /restore the right master\.key/);
      for (const words of [
        ['waitlist', 'list'],
        ['master-key', 'rotate'],
      ])
        assertFailed(
          await runHere(storage.environment, ...words),
          /restore the right master\.key/,
          TRY_AGAIN,
        );
      assert.deepEqual(await fingerprint(storage), before);
    });

    it('is caused by a port in use, and the process exits', async () => {
      const storage = await createStorage(engine);
      afterTest(storage.remove);
      const other = createServer();
      await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
      afterTest(() => other.close());
      const { port } = other.address() as { port: number };
      const { code, stderr } = await runCommand({ ...storage.environment, PORT: String(port) }, 'serve');
      assertFailed({ code, stderr, stdout: '' }, new RegExp(`${port}`));
    });
  });
});

describe('the command line', () => {
  it('finds each command by its first word', async () => {
    for (const { words, load } of COMMAND_GROUPS) {
      const first = (await load()).map(({ name }) => name.split(' ')[0] ?? '');
      assert.deepEqual([...new Set(first)], words);
    }
  });

  it('lists its commands, and describes each', async () => {
    const commands = await loadCommands();
    for (const words of [[], ['help'], ['--help']]) {
      const { code, stdout } = await runHere({}, ...words);
      assert.equal(code, 0);
      for (const { name, about } of commands)
        assert.ok(stdout.includes(name) && stdout.includes(about), name);
    }
    for (const { name, operands = [], flags = {} } of commands) {
      const { code, stdout } = await runHere({}, ...name.split(' '), '--help');
      assert.equal(code, 0, name);
      for (const word of [name, ...operands, ...Object.keys(flags)])
        assert.ok(stdout.includes(word), `${name} ${word}`);
    }
    assert.equal((await runHere({}, '--version')).stdout, `${VERSION}\n`);
  });

  it('exits with 2 on a usage error', async () => {
    assertUsage(await runCommand({}, 'waitlst', 'list'), /unknown command "waitlst list"/);
    assertUsage(await runHere({}, 'waitlist'), /unknown command/);
    assertUsage(await runHere({}, 'waitlist', 'list', 'more'), /unexpected argument "more"/);
    assertUsage(await runHere({}, 'waitlist', 'list', '--colour'), /: unknown option --colour\n/);
    const misspelled = await runHere({}, 'waitlist', 'create', 'wl_x', '--nam', 'X');
    assertUsage(misspelled, /: unknown option --nam\. Did you mean --name\?\n/);
    assertUsage(await runHere({}, 'waitlist', 'list', '-x'), /: unknown option -x\n/);
    assertUsage(await runHere({}, 'key', 'create', '--env'), /--env/);
  });

  it('lists every configuration problem, exits with 1 and creates nothing', async () => {
    const parent = mkdtempSync(path.join(tmpdir(), 'doorlist-test-'));
    afterTest(() => rmSync(parent, { recursive: true }));
    const environment = {
      DOORLIST_DATA_DIR: path.join(parent, 'data'),
      PORT: 'eighty',
      DOORLIST_MASTER_KEY: 'short',
      DOORLIST_LOG_LEVEL: 'loud',
      DOORLIST_TRUSTED_PROXIES: 'proxy.local',
    };
    const result = await runCommand(environment, 'serve');
    assertFailed(
      result,
      /PORT: .*\n.*DOORLIST_MASTER_KEY: .*\n.*DOORLIST_LOG_LEVEL: .*\n.*DOORLIST_TRUSTED_PROXIES: /,
    );
    assert.deepEqual(readdirSync(parent), []);
  });

  it('says in one line that the database cannot be reached', async () => {
    const dataDir = mkdtempSync(path.join(tmpdir(), 'doorlist-test-'));
    afterTest(() => rmSync(dataDir, { recursive: true }));
    const url = `postgres://postgres:hunter2@127.0.0.1:${await freePort()}/nowhere`;
    const result = await runCommand(
      { DOORLIST_DATA_DIR: dataDir, DATABASE_URL: url, DOORLIST_START_TIMEOUT: '1s' },
      'serve',
    );
    assertFailed(result, /ECONNREFUSED|reach/, TRY_AGAIN);
    assert.doesNotMatch(result.stderr, /hunter2/);
  });

  it('says in one line that the data directory cannot be created', async () => {
    const result = await runCommand({ DOORLIST_DATA_DIR: '/dev/null/data' }, 'serve');
    assertFailed(result, /\/dev\/null/);
  });

  it('generates master keys', async () => {
    const { key } = await jsonOf<{ key: string }>({}, 'master-key', 'generate');
    assert.equal(Buffer.from(key, 'base64').length, 32);
    const [one, two] = [
      await runHere({}, 'master-key', 'generate'),
      await runHere({}, 'master-key', 'generate'),
    ];
    assert.notEqual(one.stdout, two.stdout);
  });

  it('refuses a second instance on PostgreSQL that lacks the master key of the first', async () => {
    const storage = await createStorage('postgres');
    afterTest(storage.remove);
    await jsonOf(storage.environment, 'migrate');
    const dataDir = mkdtempSync(path.join(tmpdir(), 'doorlist-test-'));
    afterTest(() => rmSync(dataDir, { recursive: true }));
    const result = await runCommand(
      { ...storage.environment, DOORLIST_DATA_DIR: dataDir, PORT: '0' },
      'serve',
    );
    assertFailed(result, /There is no master key in .*master\.key, /);
    assert.deepEqual(readdirSync(dataDir), []);
  });
});
