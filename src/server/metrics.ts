import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Connections } from '../db/database.ts';
import { sharedNow } from '../db/shared-clock.ts';
import type { MetricsPage } from '../http/plugins/metrics.ts';
import type { AnyFinding } from '../installation/health.ts';
import { within } from '../lib/promises.ts';
import { VERSION } from '../lib/root.ts';
import { reportedStates, reportState } from '../lib/state-log.ts';
import { ATTEMPT_OUTCOMES, type Meter } from '../lib/telemetry.ts';
import { OPERATOR_MAIL_CHANNEL } from '../mail/operators/notices.ts';
import { glanceAtBacklog } from '../outbox/backlog.ts';
import { countJobs } from '../waitlist/jobs/find-jobs.ts';
import type { Context } from '../waitlist/queue/context.ts';
import { STORED } from '../waitlist/queue/readable.ts';
import { MAIL_CHANNEL } from '../waitlist/sending/state.ts';
import type { Signups } from '../waitlist/signup/signup.ts';
import { readConfirmation } from '../waitlist/upkeep/confirmations.ts';
import { ALERT_CHANNEL } from '../webhooks/alert-channel.ts';
import { WEBHOOK_CHANNEL } from '../webhooks/listener.ts';
import { createHealthLook, measureEventLoop, WITHOUT_MONITOR } from './gauges.ts';
import { RequestTally } from './request-tally.ts';

/** However often somebody asks, the database is asked this often. */
const READ_EVERY_MS = 2_000;
/** Counting stops here, so that a scrape costs the same however large the backlog is. */
const MOST_PENDING = 100_000;
/** Together less than the 10 s after which Prometheus gives up: then nobody would know that it is the database. */
const PROBE_DEADLINE_MS = 2_000;
const READ_DEADLINE_MS = 5_000;
const CHANNELS = [WEBHOOK_CHANNEL, MAIL_CHANNEL, OPERATOR_MAIL_CHANNEL, ALERT_CHANNEL];
const NO_ANSWER = 'the database is not responding';
const UP_HELP = 'Whether the database accepts writes: 1 or 0.';
const BATCH_ENTRIES = [1, 2, 4, 8, 16, 32, 64, 128, 256];

export interface Metrics {
  readonly meter: Meter;
  readonly contentType: string;
  /** What this thread has counted, for the page of another one. */
  ofThread(context: Context): Promise<ThreadMetrics>;
  /** What this process counts, and the state that it finds. */
  over(sources: MetricSources): MetricsPage;
}

export interface ThreadMetrics {
  /** As JSON, because some of the objects cannot be sent. */
  counted: string;
  connections: Connections | null;
}

interface MetricSources {
  context: Context;
  signups: Signups;
  checkHealth(): Promise<AnyFinding[]>;
  /** Of the other threads. */
  others(): Promise<ThreadMetrics[]>;
}

interface StateSources extends Pick<MetricSources, 'context' | 'signups'> {
  look: ReturnType<typeof createHealthLook>;
}

export function createMetrics(): Metrics {
  const counted = new Registry();
  const meter = createMeter(counted);
  let state: Promise<string> | undefined;
  let freshUntil = Number.NEGATIVE_INFINITY;
  const readOnce = (sources: StateSources, threads: ThreadMetrics[]): Promise<string> => {
    if (state === undefined || performance.now() >= freshUntil) {
      freshUntil = Number.POSITIVE_INFINITY; // One reading at a time.
      state = readState(sources, threads).finally(() => {
        freshUntil = performance.now() + READ_EVERY_MS;
      });
    }
    return state;
  };
  return {
    meter,
    contentType: counted.contentType,
    ofThread: async ({ db }) => ({
      counted: JSON.stringify(await counted.getMetricsAsJSON()),
      connections: db.connections(),
    }),
    over: (sources) => {
      const ofProcess = new Registry();
      collectDefaultMetrics({ register: ofProcess, ...WITHOUT_MONITOR });
      measureEventLoop(ofProcess);
      const look = createHealthLook(sources.checkHealth);
      return {
        contentType: counted.contentType,
        read: async () => {
          const threads = await sources.others();
          const parts = [
            readOnce({ ...sources, look }, threads),
            ofProcess.metrics(),
            sumOf(counted, threads),
          ];
          const [found, process, all] = await Promise.all(parts);
          return `${found}${process}\n${all}`;
        },
      };
    },
  };
}

async function sumOf(own: Registry, threads: readonly ThreadMetrics[]): Promise<string> {
  if (threads.length === 0) return own.metrics();
  const others = threads.map(({ counted }) => JSON.parse(counted) as object);
  return AggregatorRegistry.aggregate([await own.getMetricsAsJSON(), ...others]).metrics();
}

function createMeter(registry: Registry): Meter {
  const registers = [registry];
  const requests = new RequestTally();
  requests.register(registry);
  const signups = new Counter({
    name: 'doorlist_signups_total',
    help: 'Entries of committed signups, by whether the person was new.',
    labelNames: ['result'],
    registers,
  });
  const batches = new Histogram({
    name: 'doorlist_group_commit_entries',
    help: 'Entries that share a commit.',
    buckets: BATCH_ENTRIES,
    registers,
  });
  const attempts = new Counter({
    name: 'doorlist_delivery_attempts_total',
    help: 'Attempts to deliver a webhook or an email, by what became of it.',
    labelNames: ['channel', 'outcome'],
    registers,
  });
  const rateLimited = new Counter({
    name: 'doorlist_rate_limited_total',
    help: 'Requests that were refused with 429.',
    labelNames: ['limit'],
    registers,
  });
  const signInFailures = new Counter({
    name: 'doorlist_sign_in_failures_total',
    help: 'Refused sign-ins of operators, with a password, a code or a passkey.',
    registers,
  });
  const rejections = new Counter({
    name: 'doorlist_unhandled_rejections_total',
    help: 'Failures that no code handled. Each is a mistake in Doorlist, and in the log.',
    registers,
  });
  const spans = new Counter({
    name: 'doorlist_trace_spans_total',
    help: 'Spans of traces, by whether the collector took them.',
    labelNames: ['result'],
    registers,
  });
  // A rate needs a first value: without it, the first failure of a delivery would not count.
  for (const result of ['created', 'skipped']) signups.inc({ result }, 0);
  for (const channel of CHANNELS)
    for (const outcome of ATTEMPT_OUTCOMES) attempts.inc({ channel, outcome }, 0);
  return {
    request: (route, method, status, seconds) => requests.count({ route, method, status, seconds }),
    signups: ({ created, skipped }) => {
      batches.observe(created + skipped);
      if (created > 0) signups.inc({ result: 'created' }, created);
      if (skipped > 0) signups.inc({ result: 'skipped' }, skipped);
    },
    attempt: (channel, outcome) => attempts.inc({ channel, outcome }),
    rateLimited: (limit) => rateLimited.inc({ limit }),
    signInFailed: () => signInFailures.inc(),
    unhandledRejection: () => rejections.inc(),
    spans: (result, count) => spans.inc({ result }, count),
  };
}

/** What cannot be read is left out, so that nobody takes an old value for the present. */
async function readState(
  { context, signups, look }: StateSources,
  threads: readonly ThreadMetrics[],
): Promise<string> {
  const { db, log } = context;
  const registry = new Registry();
  const gauge = gaugesIn(registry);
  const versions = { version: VERSION, node: process.versions.node, engine: db.engine };
  gauge('build_info', 'Always 1, with the versions as labels.', [1, versions]);
  gauge('signup_backlog_entries', 'Entries of signups that are not committed yet.', [signups.waiting()]);
  gauge('signup_backlog_limit_entries', 'With more of them, signups get a 503.', [signups.mostWaiting]);
  const damaged = reportedStates(log).flatMap(({ state, fields }) =>
    state === 'damaged' && 'what' in fields ? [String(fields.what)] : [],
  );
  gauge(
    'damaged',
    'What this server found damaged, and has not been able to decrypt since.',
    ...STORED.map((what) => [damaged.filter((each) => each === what).length, { what }] as const),
  );
  const connections = db.connections();
  if (connections) {
    const all = [connections, ...threads.flatMap((thread) => thread.connections ?? [])];
    const [busy, idle, waiting] = [sumIn(all, 'busy'), sumIn(all, 'idle'), sumIn(all, 'waiting')];
    const help = 'Connections of this process to PostgreSQL.';
    gauge('db_pool_connections', help, [busy, { state: 'busy' }], [idle, { state: 'idle' }]);
    gauge('db_pool_waiting', 'Work of this process that waits for a connection to PostgreSQL.', [waiting]);
  }
  try {
    await within(PROBE_DEADLINE_MS, db.probe(), NO_ANSWER);
    gauge('db_up', UP_HELP, [1]);
    // Each to its end: what the other one has found is shown all the same.
    const both = await Promise.allSettled([
      within(READ_DEADLINE_MS, readDatabase(gauge, context), NO_ANSWER),
      readHealth(gauge, look),
    ]);
    for (const each of both) if (each.status === 'rejected') throw each.reason;
    reportState(log, 'metrics', 'ok');
  } catch (error) {
    if (!registry.getSingleMetric('doorlist_db_up')) gauge('db_up', UP_HELP, [0]);
    reportState(log, 'metrics', 'incomplete', { reason: (error as Error).message });
  }
  return `${await registry.metrics()}\n`;
}

function sumIn(all: readonly Connections[], name: keyof Connections): number {
  return all.reduce((sum, each) => sum + each[name], 0);
}

async function readHealth(gauge: MakeGauge, look: StateSources['look']): Promise<void> {
  const { at, checks } = await look(READ_DEADLINE_MS, 'the checks of the installation take too long');
  gauge(
    'health',
    'What the checks of `status` found: 0 fine, 1 at risk, 2 wrong. Missing for what was not checked.',
    ...[...checks].map(([check, value]) => [value, { check }] as const),
  );
  gauge('health_timestamp_seconds', 'When these checks were made, as Unix time.', [at / 1000]);
}

async function readDatabase(gauge: MakeGauge, context: Context): Promise<void> {
  const { db } = context;
  const { bytes, logBytes, freeBytes } = await db.usage();
  gauge('db_bytes', 'Size of the database.', [bytes]);
  if (logBytes !== null) gauge('sqlite_wal_bytes', "Size of SQLite's write-ahead log.", [logBytes]);
  if (freeBytes !== null)
    gauge('disk_free_bytes', 'Free space on the disk of the embedded database.', [freeBytes]);
  const { backup_at } = await db.query.selectFrom('instance').select('backup_at').executeTakeFirstOrThrow();
  if ((await readConfirmation(context, 'backup')) === undefined)
    gauge(
      'last_backup_timestamp_seconds',
      'When `backup` last made one, as Unix time, or 0. Missing if operators confirmed that backups are made in another way.',
      [(backup_at ?? 0) / 1000],
    );
  const now = await sharedNow(context);
  const { channels, held } = await glanceAtBacklog(db, MOST_PENDING, now);
  const ageOf = (channel: string) => (now - (channels.get(channel)?.oldestAt ?? now)) / 1000;
  gauge(
    'deliveries_pending',
    `Deliveries that wait for an attempt, without those of disabled endpoints. Counting stops at ${MOST_PENDING}.`,
    ...CHANNELS.map((channel) => [channels.get(channel)?.pending ?? 0, { channel }] as const),
  );
  gauge(
    'deliveries_held',
    `Deliveries that wait for a disabled endpoint, or for the end of a pause or warm-up. Counting stops at ${MOST_PENDING}.`,
    ...CHANNELS.map((channel) => [held.get(channel) ?? 0, { channel }] as const),
  );
  gauge(
    'delivery_oldest_pending_seconds',
    'Age of the oldest event that waits for its delivery, or 0 if none waits.',
    ...CHANNELS.map((channel) => [Math.max(0, ageOf(channel)), { channel }] as const),
  );
  const jobs = Object.entries(await countJobs(context));
  gauge(
    'jobs',
    'Jobs by state, as long as they are kept.',
    ...jobs.map(([state, count]) => [count, { state }] as const),
  );
}

type MakeGauge = ReturnType<typeof gaugesIn>;

function gaugesIn(registry: Registry) {
  return (name: string, help: string, ...values: (readonly [number, Record<string, string>?])[]) => {
    const labelNames = Object.keys(values[0]?.[1] ?? {});
    const made = new Gauge({ name: `doorlist_${name}`, help, labelNames, registers: [registry] });
    for (const [value, labels = {}] of values) made.set(labels, value);
  };
}
