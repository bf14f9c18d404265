import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { setInterval } from 'node:timers';
import type { Config } from '../config/config.ts';
import { basePathOf } from '../config/public-url.ts';
import type { MigrationWatch } from '../db/migrate.ts';
import type { PostgresLimits } from '../db/postgres/pool.ts';
import { listenForMetrics, type MetricsPage } from '../http/plugins/metrics.ts';
import { openWaitingRoom } from '../http/plugins/waiting-room.ts';
import { lockForServing } from '../installation/data-directory.ts';
import { checkInstallation, whyToSaveMasterKey } from '../installation/health.ts';
import { logMigration } from '../installation/log-migration.ts';
import { openContext } from '../installation/open.ts';
import { waitForDatabase, warnOfLargePools } from '../installation/wait-for-database.ts';
import { localCounts } from '../lib/counts.ts';
import { createLogger, LOG_FLUSH_EVERY_MS, type Log, type Logger } from '../lib/log.ts';
import { newSharedMemory, sharedCounts } from '../lib/shared-counts.ts';
import { flushRepeated } from '../lib/sparing-log.ts';
import { argon2Passwords } from '../operators/password.ts';
import { isMasterKeySaved } from '../vault/master-key.ts';
import { trackKeyUsage } from '../waitlist/keys/key-usage.ts';
import type { Context } from '../waitlist/queue/context.ts';
import { openSignups } from '../waitlist/signup/signup.ts';
import { currentMasterKey } from '../waitlist/upkeep/instance.ts';
import { buildApp } from './app.ts';
import { appParts, buildWorkerApp, builtDashboard, openTracer } from './app-parts.ts';
import { NO_BACKGROUND, startBackground } from './background.ts';
import { buildDashboardIfNeeded } from './build-dashboard.ts';
import { listenOn, watchDescriptors } from './listen.ts';
import { createMetrics } from './metrics.ts';
import { type StopSignals, watchRejections, watchStopSignals } from './process-events.ts';
import { startRequestThreads } from './request-threads.ts';
import { countThreads, shareConnections } from './thread-count.ts';
import { prepareWelcome } from './welcome.ts';

/** Supervisors kill after 30 s. By then the process has ended by itself, whatever hangs. */
const STOP_DEADLINE_MS = 25_000;
/** What is left of it after the delay for load balancers. */
const LEAST_STOP_MS = 15_000;
/** The share of that time for finishing running work. The rest is for closing connections. */
const DRAIN_SHARE = 0.8;

interface ServeOptions {
  limits?: Partial<PostgresLimits> | undefined;
  stopDeadlineMs?: number;
  /** Within it, the same signal again is the one before. */
  sameSignalMs?: number;
  /** false if something else serves it. */
  buildsDashboard?: boolean;
}

/** Serves until it gets a signal to stop. Resolves with the exit code. */
export async function serve(
  config: Config,
  print: (text: string) => void,
  { limits, stopDeadlineMs = STOP_DEADLINE_MS, sameSignalMs, buildsDashboard = true }: ServeOptions = {},
): Promise<number> {
  const log = createLogger(config.logLevel);
  const signals = watchStopSignals(sameSignalMs);
  const opened = new AsyncDisposableStack(); // Closes everything in reverse order, however the server ends.
  let deadline: NodeJS.Timeout | undefined;
  try {
    watchProcess(log, opened);
    if (config.ignoredVariables.length > 0)
      log.info(
        { variables: config.ignoredVariables },
        'ignored variables that Kubernetes sets for a service named doorlist',
      );
    const server = await start(config, { log, signals, opened, limits, buildsDashboard });
    print(server.welcome);
    const signal = await signals.first;
    signals.second.then(() => process.exit(1)); // A second signal means stop now.
    const delayMs = await announceStop(server, config, signal);
    const leftMs = Math.max(stopDeadlineMs - delayMs, Math.min(stopDeadlineMs, LEAST_STOP_MS));
    deadline = endWithin(leftMs, log);
    await drain(server, leftMs * DRAIN_SHARE);
    await opened.disposeAsync();
    return 0;
  } catch (error) {
    signals.first.then(() => process.exit(1));
    deadline ??= endWithin(stopDeadlineMs, log, { reason: (error as Error).message });
    await opened.disposeAsync().catch(() => {}); // What comes after the first error is its consequence.
    throw error;
  } finally {
    deadline?.unref(); // Must not keep the process alive by itself.
  }
}

/** Some tools send them to have files opened anew. Node would open a debugger at SIGUSR1, which shows keys and people. */
const IGNORED_SIGNALS = ['SIGHUP', 'SIGUSR1'] as const;

/** What concerns the process and not its work. */
function watchProcess(log: Logger, opened: AsyncDisposableStack): void {
  opened.defer(() => new Promise<void>((resolve) => log.flush(() => resolve())));
  opened.defer(() => flushRepeated(log));
  const flushing = setInterval(() => log.flush(), LOG_FLUSH_EVERY_MS);
  flushing.unref();
  opened.defer(() => clearInterval(flushing));
  opened.defer(watchDescriptors(log).stop);
  for (const signal of IGNORED_SIGNALS) {
    const note = () => log.info({}, `got ${signal}: settings are only read at the start, so nothing changes`);
    process.on(signal, note);
    opened.defer(() => void process.off(signal, note));
  }
}

interface StartOptions extends Pick<ServeOptions, 'limits'> {
  log: Logger;
  signals: StopSignals;
  opened: AsyncDisposableStack;
  buildsDashboard: boolean;
}

/** Returns when everything works. Until then, what was opened is closed by the caller if something fails. */
async function start(config: Config, options: StartOptions) {
  const { log, signals } = options;
  let isStarting = true;
  signals.first.then(() => {
    if (isStarting) process.exit(0); // Nothing has been acknowledged yet, and unfinished work is rolled back.
  });
  const listening = await startListening(config, options, () => {
    isStarting = false;
  });
  const { app, threads, dashboard, metricsPort, welcome } = listening;
  warnWithoutPublicUrl(config, log);
  const { port } = app.server.address() as AddressInfo;
  const addresses = { port, metricsPort, threads: threads.count + 1 };
  return { ...listening, welcome: welcome(addresses, dashboard.state().problem) };
}

type Server = Awaited<ReturnType<typeof start>>;

/** Keeps serving until load balancers have noticed. Returns how long that took. */
async function announceStop(
  { context: { log }, dashboard, background, lifecycle, threads }: Server,
  { stopDelayMs }: Config,
  signal: NodeJS.Signals,
): Promise<number> {
  dashboard.stop();
  background.announceStop();
  lifecycle.announceStop();
  const isProbed = (await threads.announceStop()) || lifecycle.isProbed();
  // Without anybody who asks, there is no load balancer to wait for. Ctrl+C comes from a person.
  const delayMs = signal === 'SIGTERM' && isProbed ? stopDelayMs : 0;
  if (delayMs > 0) {
    log.info({ signal, delayMs }, 'stopping: not ready any more, still serving until load balancers notice');
    await pause(delayMs);
  }
  log.info({ signal }, 'stopping: finishing running requests, new requests get a 503');
  return delayMs;
}

async function drain({ lifecycle, threads, background }: Server, withinMs: number): Promise<void> {
  const drained = Promise.all([lifecycle.drain(), threads.drain(), background.drain()]);
  await Promise.race([drained, pause(withinMs)]);
  await threads.close();
}

function endWithin(ms: number, log: Logger, fields: { reason?: string } = {}): NodeJS.Timeout {
  return setTimeout(() => {
    log.error(fields, 'stopped at the deadline: something did not finish in time');
    log.flush(() => process.exit(1));
  }, ms);
}

/**
 * Backups of PostgreSQL rarely include this machine's data directory, and they are worthless without the key.
 */
async function remindToSaveMasterKey(config: Config, context: Context): Promise<void> {
  const { masterKey, dataDir } = config;
  if (masterKey !== undefined || isMasterKeySaved(dataDir, await currentMasterKey(context))) return;
  const { log } = context;
  log.warn(
    { file: path.join(dataDir, 'master.key') },
    `the master key exists only in this file: ${whyToSaveMasterKey(config)}`,
  );
}

/** A proxy means that people use another address than the one we listen on. */
function warnWithoutPublicUrl({ trustedProxies, isPublicUrlSet, publicUrl }: Config, log: Log): void {
  if (trustedProxies.length === 0 || isPublicUrlSet) return;
  log.warn(
    { publicUrl },
    'DOORLIST_TRUSTED_PROXIES is set but DOORLIST_PUBLIC_URL is not, so links in emails lead to the address that this server listens on. Set DOORLIST_PUBLIC_URL to the address that people use',
  );
}

/** Until everything is open, clients are told to wait. */
async function startListening(
  config: Config,
  { log, opened, limits, buildsDashboard }: StartOptions,
  ready: () => void,
) {
  const address = { host: config.host, port: config.port };
  // Clients cannot know a port that is chosen later.
  let waitingRoom =
    config.port === 0 ? undefined : await openWaitingRoom(address, basePathOf(config.publicUrl));
  opened.defer(() => waitingRoom?.close());
  const metrics = createMetrics();
  opened.defer(watchRejections(log, metrics.meter));
  const tracer = await openTracer(config, { log, meter: metrics.meter });
  opened.defer(() => tracer?.close());
  const { threads, counts, connections } = await startThreads(config, log, limits);
  opened.defer(threads.terminate);
  let releaseDirectory: (() => void) | undefined;
  opened.defer(() => releaseDirectory?.());
  const open = () =>
    openContext(config, log, Date.now, {
      ...{ limits, connections, counts, tracer, meter: metrics.meter },
      watch: both(logMigration(log), (step) => waitingRoom?.showMigration(step)),
      beforeDatabase: async () => {
        releaseDirectory ??= await lockForServing(config);
      },
    });
  const context = await waitForDatabase(open, config, log);
  opened.defer(async () => {
    await threads.terminate(); // They use it.
    await context.db.close();
  });
  if (config.databaseUrl !== undefined) await remindToSaveMasterKey(config, context);
  const keyUsage = trackKeyUsage(context);
  opened.defer(keyUsage.close);
  const isWorker = config.role === 'worker';
  const dashboard = buildDashboardIfNeeded(log, buildsDashboard && !isWorker);
  opened.defer(dashboard.stop);
  const signups = openSignups(context, config.mostWaitingSignups);
  const passwords = argon2Passwords();
  const page = metrics.over({
    ...{ context, signups, others: threads.metrics },
    checkHealth: () => checkInstallation(context, config),
  });
  const parts = appParts(config, {
    ...{ context, keyUsage, signups, passwords, metrics: page },
    dashboard: builtDashboard(dashboard.state),
  });
  const { app, ...lifecycle } = await (isWorker ? buildWorkerApp(parts) : buildApp(parts));
  opened.defer(async () => {
    app.server.closeAllConnections();
    await app.close();
  });
  await app.ready();
  await threads.open({ context, metrics: page, passwords, tracer }, dashboard.state());
  const metricsPort = await openMetricsPort(page, config, opened);
  await warnOfLargePools(context, config);
  const welcome = await prepareWelcome(context, config);
  ready();
  // Before the port opens: once the server has said that it is ready, losing the database must not end it.
  const background = config.role === 'api' ? NO_BACKGROUND : await startBackground(context, config);
  opened.defer(background.close);
  await waitingRoom?.close();
  waitingRoom = undefined;
  // Another server cannot join in: its waiting room does not share its port.
  try {
    const port = await listenOn(app, address, threads.count > 0);
    await threads.listen({ ...address, port });
  } catch (error) {
    await background.drain();
    throw error;
  }
  void dashboard.settled.then(() => threads.showDashboard(dashboard.state()));
  return { context, app, lifecycle, threads, dashboard, metricsPort, background, welcome };
}

async function openMetricsPort(
  page: MetricsPage,
  { metricsHost, metricsPort }: Config,
  opened: AsyncDisposableStack,
): Promise<number | undefined> {
  if (metricsPort === undefined) return undefined;
  const { port, close } = await listenForMetrics(page, { host: metricsHost, port: metricsPort });
  opened.defer(close);
  return port;
}

/** Besides this one. With one thread, there is nothing to share. */
async function startThreads(config: Config, log: Logger, limits: ServeOptions['limits']) {
  const { threads, reason } = await countThreads(config);
  if (reason !== undefined)
    log.warn({ threads, reason }, 'fewer threads answer requests than were asked for');
  if (threads === 1) return { threads: startRequestThreads([], log), counts: localCounts() };
  const memory = newSharedMemory();
  const [own, ...others] = shareConnections(config, threads);
  const data = others.map((connections) => ({
    ...{ config, limits, connections, memory, script: process.argv[1] },
  }));
  return { threads: startRequestThreads(data, log), counts: sharedCounts(memory), connections: own };
}

function both(first: MigrationWatch, second: MigrationWatch): MigrationWatch {
  return (step) => {
    first(step);
    second(step);
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}
