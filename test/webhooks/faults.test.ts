import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, it } from 'node:test';
import pg from 'pg';
import { readConfig } from '../../src/config/config.ts';
import { openContext } from '../../src/installation/open.ts';
import { type Outbox, startOutbox } from '../../src/installation/start-outbox.ts';
import { createLogger } from '../../src/lib/log.ts';
import type { Context } from '../../src/waitlist/queue/context.ts';
import type { Queue } from '../../src/waitlist/queue/queue.ts';
import { createWaitlist } from '../../src/waitlist/settings/waitlists.ts';
import { openSignups, type Signups } from '../../src/waitlist/signup/signup.ts';
import { parseSignupRequest } from '../../src/waitlist/signup/signup-input.ts';
import { showDelivery } from '../../src/webhooks/list-deliveries.ts';
import { createDatabase } from '../support/databases.ts';
import { forEachEngine } from '../support/harness.ts';
import { startPostgres } from '../support/postgres.ts';
import { scriptOf } from '../support/program.ts';
import { seededRandom, shuffle } from '../support/random.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { seedFor } from '../support/seed.ts';
import { createStorage, type Storage } from '../support/storage.ts';
import { endpointFor, inState, LOOPBACK, until } from '../support/webhooks.ts';

const SCRIPT = scriptOf('outbox-process');
const LIST = 'wl_faults';
interface Times {
  deadlineMs: number;
  /** Short enough to wait for, longer than an attempt may take. */
  leaseMs: number;
}
const SHORT: Times = { deadlineMs: 1_500, leaseMs: 2_500 };
/** No attempt times out while several processes get to work, even on a busy machine. */
const LONG: Times = { deadlineMs: 8_000, leaseMs: 10_000 };
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** One installation that processes come and go on. */
interface Site {
  context: Context;
  queue: Queue;
  receiver: Receiver;
  endpoint: string;
  signup(first: number, count: number): Promise<void>;
  spawn(...words: string[]): ChildProcess;
  /** In a process of its own, to be killed or suspended. */
  dispatcher(times?: Times): Promise<ChildProcess>;
  /** In this process, which starts it in no time. */
  dispatchHere(times?: Times): Promise<void>;
  close(): Promise<void>;
}

async function openSite(environment: Record<string, string>): Promise<Site> {
  const variables = { ...environment, ...LOOPBACK };
  const config = readConfig(variables);
  const context = await openContext(config, createLogger('silent'));
  await createWaitlist(context, { id: LIST, name: 'Faults' });
  const queue = (await context.registry.queue(LIST, 'production')) as Queue;
  const receiver = await startReceiver();
  const { id: endpoint } = await endpointFor(context, queue, receiver.url);
  const signups: Signups = openSignups(context, 10_000);
  const children: ChildProcess[] = [];
  const outboxes: Outbox[] = [];
  const start = (...words: string[]) => {
    const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env;
    const child = spawn(process.execPath, [SCRIPT, ...words], {
      env: { PATH, NODE_COMPILE_CACHE, ...variables },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    return child;
  };
  return {
    context,
    queue,
    receiver,
    endpoint,
    signup: async (first, count) => {
      const entries = Array.from({ length: count }, (_, i) => ({ email: `e${first + i}@example.com` }));
      await signups.submit(queue, parseSignupRequest({ waitlistId: LIST, entries }).entries);
    },
    spawn: start,
    dispatcher: async ({ leaseMs, deadlineMs } = SHORT) => {
      const child = start('dispatch', String(leaseMs), String(deadlineMs));
      await once(child.stdout as NodeJS.ReadableStream, 'data');
      return child;
    },
    dispatchHere: async (times = SHORT) => {
      outboxes.push(await startOutbox(context, config, { ...times, pollMs: 100 }));
    },
    close: async () => {
      for (const outbox of outboxes) await outbox.stop();
      for (const child of children.filter(
        ({ exitCode, signalCode }) => exitCode === null && signalCode === null,
      )) {
        child.kill('SIGKILL');
        await once(child, 'exit');
      }
      await receiver.close();
      await context.db.close();
    },
  };
}

const kill = async (child: ChildProcess) => {
  child.kill('SIGKILL');
  await once(child, 'exit');
};

async function count(context: Context, table: 'entry' | 'event' | 'delivery'): Promise<number> {
  return (await context.db.query.selectFrom(table).select('queue_id').execute()).length;
}

async function undelivered({ db }: Context): Promise<number> {
  const rows = await db.query
    .selectFrom('delivery')
    .select('event_id')
    .where('delivered_at', 'is', null)
    .execute();
  return rows.length;
}

/** Nobody has to wait for the rest of a lease whose holder is dead. */
async function endLeases({ db }: Context): Promise<void> {
  await db.query.updateTable('delivery').set({ due_at: 0 }).execute();
}

forEachEngine('kills', (engine) => {
  describe('deliveries survive', () => {
    let storage: Storage;
    let site: Site;
    beforeEach(async () => {
      storage = await createStorage(engine, { migrated: true });
      site = await openSite(storage.environment);
    });
    afterEach(async () => {
      await site.close();
      await storage.remove();
    });

    it('a crash before the commit, with nothing sent, and one right after it, with one delivery', async () => {
      const recorded = () => Promise.all([count(site.context, 'entry'), count(site.context, 'event')]);
      assert.deepEqual(await once(site.spawn('before', LIST), 'exit'), [null, 'SIGKILL']);
      assert.deepEqual(await recorded(), [0, 0]);
      assert.deepEqual(await once(site.spawn('after', LIST), 'exit'), [null, 'SIGKILL']);
      assert.deepEqual(await recorded(), [1, 1]);
      await site.dispatchHere();
      await inState(site.context, site.endpoint, 'delivered', 1);
      assert.equal(await undelivered(site.context), 0, 'nothing is left to send');
      assert.equal(site.receiver.received.length, 1);
    });

    it('a crash in the middle of a request, and are sent again with the same id and bytes', async () => {
      site.receiver.answer = () => {}; // The first is never answered.
      const first = await site.dispatcher(LONG);
      await site.signup(0, 1);
      await until('the first request', () => site.receiver.received.length === 1);
      await kill(first);
      site.receiver.answer = (_, response) => response.end();
      await endLeases(site.context);
      await site.dispatchHere(LONG);
      await inState(site.context, site.endpoint, 'delivered', 1);
      const [one, two, ...others] = site.receiver.received;
      assert.deepEqual([one?.id, one?.body], [two?.id, two?.body]);
      assert.equal(others.length, 0);
      const { attempts, log } = await showDelivery(site.context, site.endpoint, one?.id ?? '');
      assert.equal(attempts, 2, 'the attempt that nobody lived to tell of was counted');
      assert.deepEqual(
        log.map(({ attempt }) => attempt),
        [2],
      );
    });

    it('a crash between the 2xx and recording it, and are sent again with the same id', async (test) => {
      const random = seededRandom(seedFor(test, import.meta.filename));
      const first = await site.dispatcher(LONG);
      const ended = once(first, 'exit');
      const { db } = site.context;
      site.receiver.answer = (_, response) => {
        void db.transaction(async (trx) => {
          await trx.updateTable('delivery').set({ failed_at: null }).execute(); // Nobody else can write to it now.
          response.end();
          await pause(random() * 200);
          await kill(first);
        });
      };
      await site.signup(0, 1);
      await ended;
      assert.equal(await undelivered(site.context), 1);
      site.receiver.answer = (_, response) => response.end();
      await endLeases(site.context);
      await site.dispatchHere(LONG);
      await inState(site.context, site.endpoint, 'delivered', 1);
      assert.deepEqual([site.receiver.received.length, site.receiver.ids().size], [2, 1]);
    });

    for (const dispatchers of [2, 4]) {
      it(`one of ${dispatchers} dispatchers being killed and another suspended past its lease`, async (test) => {
        const random = seededRandom(seedFor(test, import.meta.filename));
        const events = 300;
        const unanswered: ServerResponse[] = [];
        site.receiver.answer = (_, response) => void unanswered.push(response);
        const children = await Promise.all(Array.from({ length: dispatchers }, () => site.dispatcher(LONG)));
        const [killed, stopped] = shuffle(children, random) as [ChildProcess, ChildProcess];
        for (let first = 0; first < events; first += 100) await site.signup(first, 100);
        // Now each of them waits for answers: one that is stopped holds a lease, but no lock of the database.
        await until('all at it', () => unanswered.length === dispatchers * 16);
        stopped.kill('SIGSTOP');
        await kill(killed);
        site.receiver.answer = (_, response) => response.end();
        for (const response of unanswered) response.end();
        if (dispatchers === 2) await site.dispatchHere(LONG);
        await until('all of them', async () => (await undelivered(site.context)) === 0);
        const before = site.receiver.received.length;
        const ended = once(stopped, 'exit');
        stopped.kill('SIGCONT');
        stopped.kill('SIGTERM'); // It finishes what it believes to hold, and then exits.
        await ended;
        assert.equal(await undelivered(site.context), 0, 'who comes late changes nothing');
        assert.equal(site.receiver.ids().size, events);
        const twice = before - events;
        assert.ok(twice <= 2 * 32, `${twice} arrived twice; the two that fell out held at most 32 each`);
        assert.equal(site.receiver.received.length, before, 'and sends nothing more');
      });
    }
  });
});

describe('deliveries on PostgreSQL survive', () => {
  it('the repeated loss of every connection', async (test) => {
    const random = seededRandom(seedFor(test, import.meta.filename));
    const storage = await createStorage('postgres', { migrated: true });
    const site = await openSite(storage.environment);
    const admin = new pg.Client({ connectionString: storage.environment.DATABASE_URL });
    await admin.connect();
    try {
      await Promise.all([site.dispatcher(), site.dispatcher()]);
      for (let first = 0; first < 300; first += 50) {
        await retry(() => site.signup(first, 50));
        await admin.query(`select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid()`);
        await pause(random() * 150);
      }
      await until('all of them', async () => (await retry(() => undelivered(site.context))) === 0);
      assert.equal(await count(site.context, 'delivery'), 300);
      assert.equal(site.receiver.ids().size, 300);
    } finally {
      await admin.end();
      await site.close();
      await storage.remove();
    }
  });

  it('a restart of the server', async (test) => {
    const random = seededRandom(seedFor(test, import.meta.filename));
    const server = await startPostgres({ durable: false });
    const storage = await createStorage('sqlite'); // For its directory.
    const { url } = await createDatabase(server.url);
    const site = await openSite({ ...storage.environment, DATABASE_URL: url });
    try {
      const child = await site.dispatcher();
      site.receiver.answer = (_, response) => void setTimeout(() => response.end(), 30);
      await site.signup(0, 100);
      const some = Math.floor(random() * 60);
      await until('a beginning', () => site.receiver.received.length > some);
      await server.restart();
      await retry(() => site.signup(100, 100));
      await until('all of them', async () => (await retry(() => undelivered(site.context))) === 0);
      assert.equal(site.receiver.ids().size, 200);
      assert.equal(child.exitCode, null, 'it is the same process');
    } finally {
      await site.close();
      await server.stop();
      await storage.remove();
    }
  });
});

async function retry<T>(work: () => Promise<T>): Promise<T> {
  for (let left = 50; ; left -= 1) {
    try {
      return await work();
    } catch (error) {
      if (left === 0) throw error;
      await pause(100);
    }
  }
}
