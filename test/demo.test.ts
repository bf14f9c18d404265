import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { runCommandLine } from '../src/commands/command-line.ts';
import { readConfig } from '../src/config/config.ts';
import { STATUSES } from '../src/db/tables.ts';
import { startReceiver } from '../src/demo/receiver.ts';
import type { AnyFinding } from '../src/installation/health.ts';
import { openExisting } from '../src/installation/open.ts';
import { formatId } from '../src/lib/ids.ts';
import { createLogger } from '../src/lib/log.ts';
import { argon2Passwords } from '../src/operators/password.ts';
import type { Context } from '../src/waitlist/queue/context.ts';
import { levelOf } from '../src/waitlist/upkeep/health.ts';

const DAY_MS = 86_400_000;

interface Built {
  email: string;
  password: string;
  built: boolean;
}

async function runDemo(...words: string[]): Promise<{ code: number; answer: Built & { message?: string } }> {
  let out = '';
  const code = await runCommandLine(['demo', '--build-only', '--json', ...words], {
    environment: {},
    out: (text) => {
      out += text;
    },
    error: () => {},
  });
  return { code, answer: JSON.parse(out) };
}

describe('the demo', () => {
  const root = mkdtempSync(path.join(tmpdir(), 'doorlist-demo-'));
  const dir = path.join(root, 'demo');
  let first: Built;
  let context: Context;

  before(async () => {
    ({ answer: first } = await runDemo('--dir', dir, '--entries', '500'));
    context = await openExisting({ ...readConfig({}), dataDir: dir }, createLogger('silent'));
  });
  after(async () => {
    await context.db.close();
    rmSync(root, { recursive: true });
  });

  it('has ninety days of signups on two waitlists, and test data apart from them', async () => {
    const queues = await context.db.query
      .selectFrom('queue')
      .innerJoin('waitlist', 'waitlist.id', 'queue.waitlist_id')
      .innerJoin('queue_state', 'queue_state.queue_id', 'queue.id')
      .select(['waitlist.public_id', 'queue.environment', 'queue_state.last_seq'])
      .select(STATUSES.map((status) => `queue_state.${status}` as const))
      .orderBy('queue.id')
      .execute();
    assert.deepEqual(
      queues.map(({ public_id, environment, last_seq }) => [public_id, environment, last_seq]),
      [
        ['wl_orbit', 'development', 24],
        ['wl_orbit', 'production', 500],
        ['wl_orbit_teams', 'development', 0],
        ['wl_orbit_teams', 'production', 25],
      ].sort(),
    );
    const beta = queues.find(({ last_seq }) => last_seq === 500);
    for (const status of ['pending', 'waiting', 'invited', 'joined', 'removed'] as const)
      assert.ok((beta?.[status] ?? 0) > 0, status);
    const { oldest, newest, referred } = await context.db.query
      .selectFrom('entry')
      .select((e) => [
        e.fn.min('created_at').as('oldest'),
        e.fn.max('created_at').as('newest'),
        e.fn.count('referrer_seq').as('referred'),
      ])
      .executeTakeFirstOrThrow();
    assert.ok(Number(newest) - Number(oldest) > 80 * DAY_MS);
    assert.ok(Number(newest) <= Date.now());
    assert.ok(Number(referred) > 100);
  });

  it('has invites in every state', async () => {
    const invites = await context.db.query.selectFrom('invite').selectAll().execute();
    assert.ok(invites.some(({ accepted_at }) => accepted_at !== null));
    assert.ok(invites.some(({ expired_at }) => expired_at !== null));
    assert.ok(invites.some((invite) => !invite.accepted_at && !invite.expired_at && !invite.revoked_at));
  });

  it('has a wave on each waitlist that has run for some days and goes on', async () => {
    const waves = await context.db.query.selectFrom('wave').selectAll().execute();
    assert.deepEqual(
      waves.map(({ name, state, pause_reason }) => [name, state, pause_reason]),
      Array(2).fill(['Weekday mornings', 'active', null]),
    );
    const runs = await context.db.query.selectFrom('wave_run').selectAll().execute();
    assert.ok(runs.length >= 5, `${runs.length} runs`);
    assert.ok(runs.every(({ outcome }) => outcome === 'done'));
    assert.ok(runs.some(({ invited }) => invited > 0));
  });

  it('has webhooks that were delivered at once, delivered on a retry, and given up; and emails that were caught', async () => {
    const deliveries = await context.db.query.selectFrom('delivery').selectAll().execute();
    const webhooks = deliveries.filter(({ channel }) => channel === 'webhook');
    assert.ok(webhooks.some(({ delivered_at, attempts }) => delivered_at !== null && attempts === 1));
    assert.ok(webhooks.some(({ delivered_at, attempts }) => delivered_at !== null && attempts === 2));
    assert.ok(webhooks.some(({ failed_at, attempts }) => failed_at !== null && attempts === 10));
    assert.ok(deliveries.some(({ channel, delivered_at }) => channel === 'email' && delivered_at !== null));
    assert.equal(deliveries.filter(({ due_at }) => due_at !== null && due_at <= Date.now()).length, 0);
  });

  it('sends nothing again that was received', async () => {
    const attempts = await context.db.query
      .selectFrom('delivery_attempt as a')
      .innerJoin('delivery as d', (join) =>
        join
          .onRef('d.queue_id', '=', 'a.queue_id')
          .onRef('d.event_id', '=', 'a.event_id')
          .onRef('d.channel', '=', 'a.channel')
          .onRef('d.target_id', '=', 'a.target_id'),
      )
      .select(['a.status', 'a.attempt', 'd.attempts'])
      .where('a.channel', '=', 'webhook')
      .execute();
    assert.ok(attempts.length > 100);
    assert.deepEqual(
      attempts.filter(({ status, attempt, attempts: last }) => status === 200 && attempt < last),
      [],
    );
  });

  it('leaves counters, ranks and statistics that doctor finds right', async () => {
    let report = '';
    const code = await runCommandLine(['doctor'], {
      environment: { DOORLIST_DATA_DIR: dir },
      out: (text) => {
        report += text;
      },
      error: (text) => {
        report += text;
      },
    });
    assert.equal(code, 0, report);
  });

  it('warns of one thing: an endpoint that fails, in the three lines about it', async () => {
    let report = '';
    const code = await runCommandLine(['status', '--json'], {
      environment: { DOORLIST_DATA_DIR: dir },
      out: (text) => {
        report += text;
      },
      error: () => {},
    });
    const { findings } = JSON.parse(report) as { findings: AnyFinding[] };
    const loud = findings.filter((finding) => !['fine', 'unchecked'].includes(levelOf(finding)));
    assert.deepEqual(
      loud.map(({ what, level }) => [what, level]),
      ['webhooks', 'webhook error', 'webhook endpoint'].map((what) => [what, 'warning']),
      report,
    );
    const failing = await context.db.query
      .selectFrom('delivery')
      .select('target_id')
      .distinct()
      .where('failed_at', 'is not', null)
      .execute();
    assert.deepEqual(
      [code, loud.at(-1)?.endpoint?.id],
      [0, ...failing.map(({ target_id }) => formatId('whe', target_id))],
    );
  });

  it('is kept by the next run, whose password still works', async () => {
    const { code, answer } = await runDemo('--dir', dir, '--entries', '500');
    assert.deepEqual([code, answer.built, answer.password], [0, false, first.password]);
    const { password } = await context.db.query
      .selectFrom('operator')
      .select('password')
      .where('role', '=', 'owner')
      .executeTakeFirstOrThrow();
    assert.ok(await argon2Passwords().verify(password, first.password));
  });

  it('refuses a directory that holds anything else, and changes nothing in it', async () => {
    const foreign = path.join(root, 'foreign');
    mkdirSync(foreign);
    writeFileSync(path.join(foreign, 'doorlist.db'), 'precious');
    for (const words of [[], ['--fresh']]) {
      const { code, answer } = await runDemo('--dir', foreign, ...words);
      assert.equal(code, 1);
      assert.match(answer.message ?? '', /is not empty and is not a demo/);
    }
    assert.deepEqual(readdirSync(foreign), ['doorlist.db']);
  });

  it('builds an interrupted demo again', async () => {
    const half = path.join(root, 'half');
    mkdirSync(half);
    writeFileSync(
      path.join(half, 'demo.json'),
      JSON.stringify({ password: 'x', receiverPort: 1, builtAt: null }),
    );
    writeFileSync(path.join(half, 'doorlist.db'), 'half written');
    const { code, answer } = await runDemo('--dir', half, '--entries', '100');
    assert.deepEqual([code, answer.built], [0, true]);
  });

  it('lets no webhook leave the machine', async () => {
    const receiver = await startReceiver(0);
    try {
      const status = await new Promise((resolve, reject) => {
        const tunnel = request({ port: receiver.port, method: 'CONNECT', path: 'hooks.example:443' });
        tunnel.on('connect', ({ statusCode }, socket) => {
          socket.destroy();
          resolve(statusCode);
        });
        tunnel.on('error', reject);
        tunnel.end();
      });
      assert.equal(status, 403);
    } finally {
      await receiver.close();
    }
  });
});
