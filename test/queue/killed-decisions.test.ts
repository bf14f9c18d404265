import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { formatId } from '../../src/lib/ids.ts';
import { updateMailSettings } from '../../src/mail/update-settings.ts';
import { startDeciding } from '../../src/waitlist/decisions/decide-many.ts';
import { createRule } from '../../src/waitlist/decisions/rules.ts';
import type { Queue } from '../../src/waitlist/queue/queue.ts';
import { recountQueue } from '../../src/waitlist/upkeep/recount-queue.ts';
import { afterTest } from '../support/cleanup.ts';
import { crowdEmail, fillQueue } from '../support/crowd.ts';
import { clientFor, forEachEngine, type List, type Service, startService } from '../support/harness.ts';
import { type RunningProcess, startProcess } from '../support/process.ts';
import { seededRandom, shuffle } from '../support/random.ts';
import { listen } from '../support/recorded-events.ts';
import { seedFor } from '../support/seed.ts';
import { createStorage, type Storage } from '../support/storage.ts';

const TIMEOUT_MS = 300_000;
const DECIDED = 5_000;
const SIGNUPS = 1_200;
const BATCH = 20;
const KILLS = 3;

forEachEngine('kills', (engine) => {
  let storage: Storage;
  let service: Service;
  before(async () => {
    storage = await createStorage(engine, { migrated: true });
    service = await startService(engine, { storage, startAt: Date.now() });
  });
  after(async () => {
    await service.close();
    await storage.remove();
  });

  /** Two, where the engine allows two. */
  const startServers = async (): Promise<RunningProcess[]> => {
    const count = engine === 'postgres' ? 2 : 1;
    const servers = await Promise.all(Array.from({ length: count }, () => startProcess(storage.environment)));
    for (const { child } of servers) afterTest(() => child.kill('SIGKILL'));
    return servers;
  };
  const healthy = async (queue: Queue) =>
    assert.deepEqual((await recountQueue(service.context, queue, false)).findings, []);

  it(`jobs that approve and decline ${DECIDED} people over ${KILLS} kills decide about each once`, {
    timeout: TIMEOUT_MS,
  }, async (test) => {
    const random = seededRandom(seedFor(test, import.meta.filename));
    const { context } = service;
    const list = await service.waitlist();
    const queue = await list.queue();
    await updateMailSettings(context, list.id, { kinds: ['invite', 'declined'] });
    await fillQueue(context, queue, DECIDED, (n) => ({
      email: crowdEmail(n),
      metadata: { plan: n % 2 === 0 ? 'pro' : 'free' },
      ...(n > 50 && n % 7 === 0 ? { referrer: { kind: 'email', key: crowdEmail(Math.floor(n / 3)) } } : {}),
    }));
    const told = await listen(context, queue);
    const where = (plan: string) => ({
      segment: { status: 'waiting' as const, pairs: [{ key: 'plan', value: plan }] },
    });
    await startDeciding(context, queue, { verb: 'approve', who: where('pro'), note: null });
    await startDeciding(context, queue, { verb: 'decline', who: where('free'), note: null, email: true });

    const jobs = () => jobsOf(service, queue);
    const decided = async () => (await jobs()).reduce((sum, job) => sum + job.decided, 0);
    const isOver = async () => (await jobs()).every(({ outcome }) => outcome !== null);
    let servers = await startServers();
    for (let kill = 0; kill < KILLS; kill += 1) {
      const target = Math.floor((DECIDED * (kill + random())) / (KILLS + 1));
      while ((await decided()) < target && !(await isOver())) await sleep(2);
      await sleep(random() * 30);
      await servers.pop()?.stop('SIGKILL');
      if (kill === 0) assert.ok((await decided()) < DECIDED, 'it was killed in the middle');
      if (servers.length === 0) {
        const outcomes = await decisionsOf(service, list);
        assert.equal(outcomes.length, await decided(), 'the progress is that of the last commit');
        servers = await startServers();
      }
      // Nobody has to wait for the rest of a lease. If its holder is alive, it loses the job.
      await context.db.query
        .updateTable('job')
        .set({ lease_until: 0 })
        .where('queue_id', '=', queue.id)
        .where('lease_until', 'is not', null)
        .execute();
    }
    while (!(await isOver())) await sleep(10);
    for (const server of servers) await server.stop();

    const half = DECIDED / 2;
    assert.deepEqual(await jobs(), [
      { outcome: 'done', decided: half },
      { outcome: 'done', decided: half },
    ]);
    const decisions = await decisionsOf(service, list);
    const entries = await list.walk();
    assert.equal(decisions.length, DECIDED);
    const byEntry = new Map(decisions.map(({ entry, decision }) => [entry, decision]));
    for (const { id, email, status } of entries) {
      const isPro = Number(email?.match(/\d+/)?.[0]) % 2 === 0;
      assert.deepEqual(
        [status, byEntry.get(id)],
        isPro ? ['invited', 'approved'] : ['declined', 'declined'],
        `${email}`,
      );
    }
    assert.deepEqual(await invitesOf(service, queue), { made: half, people: half });
    const kinds = ['entry.approved', 'entry.declined', 'invite.sent'];
    assertOncePerEntry(await told(), Object.fromEntries(kinds.map((kind) => [kind, half])));
    assert.deepEqual(await mailsTo(service, queue, 'declined'), { mails: half, people: half });
    assert.deepEqual(await mailsTo(service, queue, 'invite'), { mails: half, people: half });
    await healthy(queue);
  });

  it(`rules decide about each of ${SIGNUPS} signups in its own transaction, over ${KILLS} kills`, {
    timeout: TIMEOUT_MS,
  }, async (test) => {
    const random = seededRandom(seedFor(test, import.meta.filename));
    const { context } = service;
    const list = await service.waitlist();
    const queue = await list.queue();
    await updateMailSettings(context, list.id, { kinds: ['declined'] });
    const rules = {
      approve: await createRule(context, queue, { when: { domain: 'acme.com' }, outcome: 'approve' }),
      advance: await createRule(context, queue, { when: { domain: '*.edu' }, outcome: 'advance' }),
      decline: await createRule(context, queue, {
        when: { pairs: [{ key: 'plan', value: 'free' }] },
        outcome: 'decline',
      }),
    };
    const told = await listen(context, queue);
    const people = Array.from({ length: SIGNUPS }, (_, n) => ({
      email: `p${n}@${['acme.com', 'uni.edu', 'free.example', 'example.com'][n % 4]}`,
      metadata: { plan: n % 4 === 2 ? 'free' : 'pro' },
    }));
    const open = new Set(
      Array.from({ length: SIGNUPS / BATCH }, (_, n) => people.slice(n * BATCH, (n + 1) * BATCH)),
    );

    const assertRuled = async () => {
      const decisions = Map.groupBy(await decisionsOf(service, list), ({ entry }) => entry);
      const entries = await list.walk();
      for (const { id, email, status, createdAt } of entries) {
        const shown = decisions.get(id)?.map(({ decision, by, at }) => [decision, by, at]) ?? [];
        const made = (decision: string, { id: rule }: { id: string }) => [
          [decision, `rule:${rule}`, Date.parse(createdAt)],
        ];
        const expected = email?.endsWith('@acme.com')
          ? ['invited', made('approved', rules.approve)]
          : email?.endsWith('@free.example')
            ? ['declined', made('declined', rules.decline)]
            : ['waiting', []];
        assert.deepEqual([status, shown], expected, `${email}`);
      }
      const inLine = (await list.walk({ sort: 'position' })).map(({ email }) => email?.endsWith('.edu'));
      assert.ok(!inLine.join().includes('false,true'), 'whoever was put first is ahead of all others');
      await healthy(queue);
      return entries;
    };

    /** Two servers get the same signups at the same time. */
    for (let kill = 0; open.size > 0; kill += 1) {
      const servers = await startServers();
      const signing = servers.map(async ({ url }) => {
        const client = clientFor(url);
        for (const entries of shuffle([...open], random)) {
          const body = { waitlistId: list.id, entries };
          const { status, text } = await client.request('POST', '/sdk/v1/waitlist/signup', {
            key: list.key,
            body,
          });
          assert.ok([200, 201].includes(status), text);
          open.delete(entries);
        }
      });
      const ended = Promise.all(signing.map((work) => work.catch((error: Error) => error)));
      if (kill < KILLS) {
        const left = Math.ceil((SIGNUPS / BATCH) * (1 - (kill + random()) / (KILLS + 1)));
        while (open.size > left) await sleep(1);
        await sleep(random() * 10);
        for (const server of servers) server.child.kill('SIGKILL');
        for (const server of servers) await server.finished;
      }
      const outcomes = await ended;
      for (const server of servers) if (kill >= KILLS) await server.stop();
      assert.ok(
        outcomes.every((outcome) => !(outcome instanceof assert.AssertionError)),
        String(outcomes),
      );
      await assertRuled();
      if (kill === 0) assert.ok(open.size > 0, 'they were killed in the middle');
    }

    const entries = await assertRuled();
    assert.deepEqual(entries.map(({ email }) => email).sort(), people.map(({ email }) => email).sort());
    const quarter = SIGNUPS / 4;
    assert.deepEqual(await invitesOf(service, queue), { made: quarter, people: quarter });
    assertOncePerEntry(await told(), {
      'entry.approved': quarter,
      'entry.declined': quarter,
      'invite.sent': quarter,
      'signup.created': SIGNUPS,
    });
    assert.deepEqual(await mailsTo(service, queue, 'declined'), { mails: 0, people: 0 });
  });
});

async function jobsOf({ context }: Service, queue: Queue) {
  const rows = await context.db.query
    .selectFrom('job')
    .select(['outcome', 'progress'])
    .where('queue_id', '=', queue.id)
    .where('kind', '=', 'decide')
    .execute();
  return rows.map(({ outcome, progress }) => ({
    outcome,
    decided: (JSON.parse(progress) as { decided: number }).decided,
  }));
}

/** The lines of the histories. */
async function decisionsOf({ context }: Service, list: List) {
  const rows = await context.db.query
    .selectFrom('entry_decision as d')
    .innerJoin('entry as e', (join) =>
      join.onRef('e.queue_id', '=', 'd.queue_id').onRef('e.seq', '=', 'd.seq'),
    )
    .select(['e.id', 'd.decision', 'd.decided_by', 'd.decided_at'])
    .where('d.queue_id', '=', (await list.queue()).id)
    .execute();
  return rows.map(({ id, decision, decided_by, decided_at }) => ({
    entry: formatId('ent', id) as string,
    decision,
    by: decided_by,
    at: decided_at,
  }));
}

async function invitesOf({ context }: Service, queue: Queue): Promise<{ made: number; people: number }> {
  const { count } = context.db.query.fn;
  const row = await context.db.query
    .selectFrom('invite')
    .select([count<number>('id').as('made'), count<number>('email_hash').distinct().as('people')])
    .where('queue_id', '=', queue.id)
    .executeTakeFirstOrThrow();
  return { made: Number(row.made), people: Number(row.people) };
}

async function mailsTo(
  { context }: Service,
  queue: Queue,
  kind: string,
): Promise<{ mails: number; people: number }> {
  const row = await context.db.query
    .selectFrom('event as m')
    .innerJoin('event_subject as s', (join) =>
      join.onRef('s.queue_id', '=', 'm.queue_id').onRef('s.event_id', '=', 'm.id'),
    )
    .innerJoin('entry as e', (join) =>
      join.onRef('e.queue_id', '=', 's.queue_id').onRef('e.id', '=', 's.subject'),
    )
    .select(({ fn: { count } }) => [
      count<number>('m.id').as('mails'),
      count<number>('e.id').distinct().as('people'),
    ])
    .where('m.queue_id', '=', queue.id)
    .where('m.kind', '=', `email.${kind}`)
    .executeTakeFirstOrThrow();
  return { mails: Number(row.mails), people: Number(row.people) };
}

function assertOncePerEntry(
  events: readonly { event: string; data: { entry?: { id: string } | null } }[],
  expected: Record<string, number>,
): void {
  const counted = Map.groupBy(events, ({ event }) => event);
  assert.deepEqual(Object.fromEntries([...counted].map(([event, all]) => [event, all.length])), expected);
  for (const [event, all] of counted)
    assert.equal(new Set(all.map(({ data }) => data.entry?.id)).size, all.length, event);
}
