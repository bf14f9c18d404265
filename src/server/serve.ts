import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { setInterval } from 'node:timers';
import type { Config } from '../config/config.ts';
import type { MigrationWatch } from '../db/migrate.ts';
import type { PostgresLimits } from '../db/postgres/pool.ts';
import { listenForMetrics } from '../http/plugins/metrics.ts';
import { openWaitingRoom } from '../http/plugins/waiting-room.ts';
import { warnOfLargePools } from '../installation/check-pool.ts';
import { lockForServing } from '../installation/directory-lock.ts';
import { logMigration } from '../installation/log-migration.ts';
import { openContext } from '../installation/open.ts';
import { waitForDatabase } from '../installation/wait-for-database.ts';
import { localCounts } from '../lib/counts.ts';
import { createLogger, LOG_FLUSH_EVERY_MS, type Log, type Logger } from '../lib/log.ts';
import { newSharedMemory, sharedCounts } from '../lib/shared-counts.ts';
import { argon2Passwords } from '../operators/password.ts';
import { isMasterKeySaved } from '../vault/master-key-saved.ts';
import { trackKeyUsage } from '../waitlist/keys/key-usage.ts';
import type { Context } from '../waitlist/queue/context.ts';
import { openSignups } from '../waitlist/signup/signup.ts';
import { currentMasterKey } from '../waitlist/upkeep/instance.ts';
import { buildApp } from './app.ts';
import { appParts, builtDashboard } from './app-parts.ts';
import { NO_BACKGROUND, startBackground } from './background.ts';
import { buildDashboardIfNeeded } from './dashboard-at-start.ts';
import { watchDescriptors } from './descriptors.ts';
import { listenOn } from './listen.ts';
import { createMetrics } from './metrics.ts';
import { openTracer } from './open-tracer.ts';
import { startRequestThreads } from './request-threads.ts';
import { watchStopSignals } from './stop-signals.ts';
import { countThreads, shareConnections } from './thread-count.ts';
import { welcome } from './welcome.ts';
import { buildWorkerApp } from './worker-app.ts';

/** Supervisors kill after 30 s. By then the process has ended by itself, whatever hangs. */
const STOP_DEADLINE_MS = 25_000;
/** What is left of it after the delay for load balancers. */
const LEAST_STOP_MS = 15_000;
/** The share of that time for finishing running work. The rest is for closing connections. */
const DRAIN_SHARE = 0.8;

interface ServeOptions {
  limits?: Partial<PostgresLimits>;
  stopDeadlineMs?: number;
  /** Within it, the same signal again is the one before. */
  sameSignalMs?: number;
  /** false if something else serves it. */
  buildsDashboard?: boolean;
}

type StartOptions = Required<Pick<ServeOptions, 'buildsDashboard'>> & {
  limits: ServeOptions['limits'] | undefined;
};

/** Serves until it gets a signal to stop. Resolves with the exit code. */
export async function serve(
  config: Config,
  print: (text: string) => void,
  { limits, stopDeadlineMs = STOP_DEADLINE_MS, sameSignalMs, buildsDashboard = true }: ServeOptions = {},
): Promise<number> {
  const log = createLogger(config.logLevel);
  const flushing = setInterval(() => log.flush(), LOG_FLUSH_EVERY_MS);
  flushing.unref();
  const signals = watchStopSignals(sameSignalMs);
  const descriptors = watchDescriptors(log);
  const onHangUp = () => log.info({}, 'got SIGHUP: settings are only read at the start, so nothing changes');
  process.on('SIGHUP', onHangUp);
  if (config.ignoredVariables.length > 0)
    log.info(
      { variables: config.ignoredVariables },
      'ignored variables that Kubernetes sets for a service named doorlist',
    );
  let starting = true;
  signals.first.then(() => {
    if (starting) process.exit(0); // Nothing has been acknowledged yet, and unfinished work is rolled back.
  });
  const { context, app, lifecycle, threads, keyUsage, releaseDirectory, dashboard, metrics, tracer } =
    await startListening(config, log, { limits, buildsDashboard }, () => {
      starting = false;
    });
  const { port } = app.server.address() as AddressInfo;
  await warnOfLargePools(context, config);
  const background = config.role === 'api' ? NO_BACKGROUND : await startBackground(context, config);
  warnWithoutPublicUrl(config, log);
  const listening = { port, metricsPort: metrics?.port, threads: threads.count + 1 };
  print(await welcome(context, config, listening, dashboard.state().problem));

  const signal = await signals.first;
  dashboard.stop();
  background.announceStop();
  signals.second.then(() => process.exit(1)); // A second signal means stop now.
  lifecycle.announceStop();
  const isProbed = (await threads.announceStop()) || lifecycle.isProbed();
  // Without anybody who asks, there is no load balancer to wait for. Ctrl+C comes from a person.
  const delayMs = signal === 'SIGTERM' && isProbed ? config.stopDelayMs : 0;
  if (delayMs > 0) {
    log.info({ signal, delayMs }, 'stopping: not ready any more, still serving until load balancers notice');
    await pause(delayMs);
  }
  log.info({ signal }, 'stopping: finishing running requests, new requests get a 503');
  const leftMs = Math.max(stopDeadlineMs - delayMs, Math.min(stopDeadlineMs, LEAST_STOP_MS));
  const deadline = setTimeout(() => {
    log.error({}, 'stopped at the deadline: something did not finish in time');
    log.flush(() => process.exit(1));
  }, leftMs);
  const drained = Promise.all([lifecycle.drain(), threads.drain(), background.drain()]);
  await Promise.race([drained, pause(leftMs * DRAIN_SHARE)]);
  await threads.close();
  app.server.closeAllConnections();
  await app.close();
  await Promise.all([background.close(), keyUsage.close(), metrics?.close(), tracer?.close()]);
  await context.db.close();
  releaseDirectory();
  descriptors.stop();
  process.off('SIGHUP', onHangUp);
  clearInterval(flushing);
  await new Promise((resolve) => log.flush(resolve));
  deadline.unref(); // Must not keep the process alive by itself.
  return 0;
}

/**
 * Backups of PostgreSQL rarely include this machine's data directory, and they are worthless without the key.
 */
async function remindToSaveMasterKey({ masterKey, dataDir }: Config, context: Context): Promise<void> {
  if (masterKey !== undefined || isMasterKeySaved(dataDir, await currentMasterKey(context))) return;
  const { log } = context;
  log.warn(
    { file: path.join(dataDir, 'master.key') },
    'the master key exists only in this file, and without it all personal data is lost. Run `backup`, or store the output of `master-key show` in a safe place',
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
  log: Logger,
  { limits, buildsDashboard }: StartOptions,
  ready: () => void,
) {
  const address = { host: config.host, port: config.port };
  // Clients cannot know a port that is chosen later.
  const waitingRoom = config.port === 0 ? undefined : await openWaitingRoom(address);
  let releaseDirectory: (() => void) | undefined;
  const metrics = createMetrics();
  const tracer = await openTracer(config, { log, meter: metrics.meter });
  const { threads, counts, connections } = await startThreads(config, log, limits);
  const open = () =>
    openContext(config, log, Date.now, {
      ...{ limits, connections, counts, tracer, meter: metrics.meter },
      watch: waitingRoom ? both(logMigration(log), waitingRoom.showMigration) : logMigration(log),
      beforeDatabase: async () => {
        releaseDirectory ??= await lockForServing(config);
      },
    });
  const context = await waitForDatabase(open, config, log).catch(async (error) => {
    releaseDirectory?.();
    await waitingRoom?.close();
    await threads.terminate();
    await tracer?.close();
    throw error;
  });
  if (config.databaseUrl !== undefined) await remindToSaveMasterKey(config, context);
  const keyUsage = trackKeyUsage(context);
  const isWorker = config.role === 'worker';
  const dashboard = buildDashboardIfNeeded(log, buildsDashboard && !isWorker);
  const signups = openSignups(context, config.mostWaitingSignups);
  const passwords = argon2Passwords();
  const page = metrics.over({ context, signups, others: threads.metrics });
  const parts = appParts(config, {
    ...{ context, keyUsage, signups, passwords, metrics: page },
    dashboard: builtDashboard(dashboard.state),
  });
  const { app, ...lifecycle } = await (isWorker ? buildWorkerApp(parts) : buildApp(parts));
  let metricsServer: Awaited<ReturnType<typeof listenForMetrics>> | undefined;
  try {
    await app.ready();
    await threads.open({ context, metrics: page, passwords, tracer }, dashboard.state());
    if (config.metricsPort !== undefined)
      metricsServer = await listenForMetrics(page, { host: config.metricsHost, port: config.metricsPort });
    await waitingRoom?.close();
    ready();
    // Another server cannot join in: its waiting room does not share its port.
    const port = await listenOn(app, address, threads.count > 0);
    await threads.listen({ ...address, port });
    void dashboard.settled.then(() => threads.showDashboard(dashboard.state()));
  } catch (error) {
    dashboard.stop();
    await threads.terminate();
    await metricsServer?.close();
    await app.close();
    await keyUsage.close();
    await tracer?.close();
    await context.db.close(); // An open database would keep the process alive.
    throw error;
  }
  return {
    ...{ context, app, lifecycle, threads, keyUsage, dashboard, tracer },
    metrics: metricsServer,
    releaseDirectory: () => releaseDirectory?.(),
  };
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
