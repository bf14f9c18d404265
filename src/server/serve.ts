import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { setInterval } from 'node:timers';
import type { Config } from '../config/config.ts';
import { VARIABLES } from '../config/variables.ts';
import type { MigrationWatch } from '../db/migrate.ts';
import type { PostgresLimits } from '../db/postgres/pool.ts';
import { listenForMetrics } from '../http/plugins/metrics.ts';
import { openWaitingRoom } from '../http/plugins/waiting-room.ts';
import { warnOfLargePools } from '../installation/check-pool.ts';
import { lockForServing } from '../installation/directory-lock.ts';
import { checkInstallation } from '../installation/health.ts';
import { logMigration } from '../installation/log-migration.ts';
import { openContext } from '../installation/open.ts';
import { waitForDatabase } from '../installation/wait-for-database.ts';
import type { Log } from '../lib/log.ts';
import { createLogger } from '../lib/log.ts';
import type { Meter } from '../lib/meter.ts';
import { COMMAND } from '../lib/root.ts';
import { openOperators } from '../operators/context.ts';
import { isSetUp, setupUrl } from '../operators/setup.ts';
import { isMasterKeySaved } from '../vault/master-key-saved.ts';
import { trackKeyUsage } from '../waitlist/keys/key-usage.ts';
import type { Context } from '../waitlist/queue/context.ts';
import { listWaitlists } from '../waitlist/settings/waitlists.ts';
import { openSignups } from '../waitlist/signup/signup.ts';
import { currentMasterKey } from '../waitlist/upkeep/instance.ts';
import { buildApp } from './app.ts';
import { NO_BACKGROUND, startBackground } from './background.ts';
import {
  buildDashboard,
  DASHBOARD_DIRECTORY,
  hasDashboard,
  isDashboardCurrent,
  whyNotBuildable,
} from './build-dashboard.ts';
import { watchDescriptors } from './descriptors.ts';
import { createMetrics } from './metrics.ts';
import { watchStopSignals } from './stop-signals.ts';
import { buildWorkerApp } from './worker-app.ts';

/** Supervisors kill after 30 s. By then the process has ended by itself, whatever hangs. */
const STOP_DEADLINE_MS = 25_000;
/** What is left of it after the delay for load balancers. */
const LEAST_STOP_MS = 15_000;
/** The share of that time for finishing running work. The rest is for closing connections. */
const DRAIN_SHARE = 0.8;
const LOG_FLUSH_EVERY_MS = 1_000;

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
  const { context, app, lifecycle, keyUsage, releaseDirectory, dashboard, metrics, tracer } =
    await startListening(config, log, { limits, buildsDashboard }, () => {
      starting = false;
    });
  const { port } = app.server.address() as AddressInfo;
  await warnOfLargePools(context, config);
  const background = config.role === 'api' ? NO_BACKGROUND : await startBackground(context, config);
  warnWithoutPublicUrl(config, log);
  const ports = { main: port, metrics: metrics?.port };
  print(await welcome(context, config, ports, dashboard.problem()));

  const signal = await signals.first;
  dashboard.stop();
  background.announceStop();
  signals.second.then(() => process.exit(1)); // A second signal means stop now.
  lifecycle.announceStop();
  // Without anybody who asks, there is no load balancer to wait for. Ctrl+C comes from a person.
  const delayMs = signal === 'SIGTERM' && lifecycle.isProbed() ? config.stopDelayMs : 0;
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
  await Promise.race([Promise.all([lifecycle.drain(), background.drain()]), pause(leftMs * DRAIN_SHARE)]);
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
  log: Log,
  { limits, buildsDashboard }: StartOptions,
  ready: () => void,
) {
  const address = { host: config.host, port: config.port };
  // Clients cannot know a port that is chosen later.
  const waitingRoom = config.port === 0 ? undefined : await openWaitingRoom(address);
  let releaseDirectory: (() => void) | undefined;
  const metrics = createMetrics();
  const tracer = await openTracer(config, log, metrics.meter);
  const open = () =>
    openContext(config, log, Date.now, {
      limits,
      meter: metrics.meter,
      tracer,
      watch: waitingRoom ? both(logMigration(log), waitingRoom.showMigration) : logMigration(log),
      beforeDatabase: async () => {
        releaseDirectory ??= await lockForServing(config);
      },
    });
  const context = await waitForDatabase(open, config, log).catch(async (error) => {
    releaseDirectory?.();
    await waitingRoom?.close();
    await tracer?.close();
    throw error;
  });
  if (config.databaseUrl !== undefined) await remindToSaveMasterKey(config, context);
  const keyUsage = trackKeyUsage(context);
  const isWorker = config.role === 'worker';
  const dashboard = buildDashboardIfNeeded(log, buildsDashboard && !isWorker);
  const signups = openSignups(context, config.mostWaitingSignups);
  const page = metrics.over({ context, signups });
  const parts = {
    context,
    keyUsage,
    signups,
    role: config.role,
    metrics: page,
    rateLimits: config.rateLimits,
    trustedProxies: config.trustedProxies,
    webhookAllow: config.webhookAllow,
    publicUrl: config.publicUrl,
    emails: {
      from: config.mailFrom,
      smtp: config.smtpUrl !== undefined,
      dkim: config.dkim,
      bounceAddress: config.bounceAddress,
    },
    checkHealth: () => checkInstallation(context, config),
    sessions: config.sessions,
    dashboard: { directory: DASHBOARD_DIRECTORY, problem: dashboard.problem, building: dashboard.building },
    webhookProxy: config.webhookProxy,
  };
  const { app, ...lifecycle } = await (isWorker ? buildWorkerApp(parts) : buildApp(parts));
  let metricsServer: Awaited<ReturnType<typeof listenForMetrics>> | undefined;
  try {
    await app.ready();
    if (config.metricsPort !== undefined)
      metricsServer = await listenForMetrics(page, { host: config.metricsHost, port: config.metricsPort });
    await waitingRoom?.close();
    ready();
    await app.listen({ ...address, backlog: 4096 });
  } catch (error) {
    dashboard.stop();
    await metricsServer?.close();
    await app.close();
    await keyUsage.close();
    await tracer?.close();
    await context.db.close(); // An open database would keep the process alive.
    throw error;
  }
  return {
    ...{ context, app, lifecycle, keyUsage, dashboard, tracer },
    metrics: metricsServer,
    releaseDirectory: () => releaseDirectory?.(),
  };
}

/** Loaded only if there is a collector. */
async function openTracer({ tracing }: Config, log: Log, meter: Meter) {
  if (!tracing) return undefined;
  const { createTracer } = await import('./tracer.ts');
  return createTracer(tracing, { log, meter });
}

function both(first: MigrationWatch, second: MigrationWatch): MigrationWatch {
  return (step) => {
    first(step);
    second(step);
  };
}

/** In the background: the API does not wait for it, and works without it. */
function buildDashboardIfNeeded(log: Log, wanted: boolean) {
  const stopping = new AbortController();
  let problem: string | undefined;
  let building = false;
  if (!wanted || isDashboardCurrent())
    return { problem: () => undefined, building: () => false, stop: () => {} };
  const obstacle = whyNotBuildable();
  if (obstacle !== undefined) {
    problem = hasDashboard() ? undefined : obstacle;
    log.warn(
      { reason: obstacle },
      problem ? 'there is no dashboard' : 'the dashboard is older than its sources',
    );
  } else {
    building = !hasDashboard();
    log.info({}, 'building the dashboard, which takes a few seconds');
    buildDashboard(stopping.signal)
      .then(
        () => log.info({}, 'built the dashboard'),
        (error: Error) => {
          if (stopping.signal.aborted) return;
          problem = hasDashboard()
            ? undefined
            : 'not built, because the build failed. The log has the reason.';
          log.error({ reason: error.message }, 'could not build the dashboard; the API works without it');
        },
      )
      .finally(() => {
        building = false;
      });
  }
  return { problem: () => problem, building: () => building, stop: () => stopping.abort() };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}

async function welcome(
  context: Context,
  config: Config,
  ports: { main: number; metrics: number | undefined },
  withoutDashboard: string | undefined,
): Promise<string> {
  const address = addressOf(config.host, ports.main);
  const metrics =
    ports.metrics === undefined ? '' : `\nMetrics: ${addressOf(config.metricsHost, ports.metrics)}/metrics`;
  const storage = describeStorage(config);
  if (config.role === 'worker')
    return `
Doorlist is ready at ${address} (${storage}), as a worker: it sends webhooks and emails and runs jobs
Only /healthz, /readyz and /metrics are served here.${metrics}
`;
  const leaves =
    config.role === 'api'
      ? '\nRole: api. Webhooks, emails and jobs wait for an instance with another role.'
      : '';
  const [first] = await listWaitlists(context);
  const id = first?.id ?? 'wl_acme';
  const create = first ? '' : `  ${COMMAND} waitlist create ${id} --name "Acme"\n`;
  return `
Doorlist is ready at ${address} (${storage})
Dashboard: ${withoutDashboard ?? address}
API reference: ${address}/docs${metrics}${leaves}${await setupLine(context, config, address)}

${first ? 'Create a key and add the next person:' : 'Create a waitlist and a key, and add the first person:'}

${sameStorage(config)}${create}  KEY=$(${COMMAND} key create --waitlist ${id} --env production --read --quiet)
  curl ${address}/sdk/v1/waitlist/signup -H "Authorization: Bearer $KEY" \\
    -H 'Content-Type: application/json' \\
    -d '{"waitlistId":"${id}","entries":[{"email":"ada@example.com"}]}'
`;
}

/** As this machine reaches it. */
function addressOf(listensOn: string, port: number): string {
  const host = listensOn === '0.0.0.0' || listensOn === '::' ? '127.0.0.1' : listensOn;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** On PostgreSQL, the data directory matters if it has the master key. */
function describeStorage({ databaseUrl, dataDir, masterKey }: Config): string {
  if (databaseUrl === undefined) return `SQLite in ${dataDir}`;
  return masterKey === undefined ? `PostgreSQL, master key in ${dataDir}` : 'PostgreSQL';
}

/**
 * Commands in another terminal would otherwise create a database of their own, or not find the master key. A
 * database's URL may hold its password.
 */
function sameStorage({ databaseUrl, dataDir, masterKey }: Config): string {
  const variables = masterKey === undefined ? 'DATABASE_URL' : 'DATABASE_URL and DOORLIST_MASTER_KEY';
  const elsewhere = databaseUrl === undefined ? '' : `  # In a terminal with the same ${variables}:\n`;
  const isUsed = databaseUrl === undefined || masterKey === undefined;
  if (!isUsed || dataDir === VARIABLES.dataDir.shownDefault) return elsewhere;
  return `${elsewhere}  export DOORLIST_DATA_DIR='${path.resolve(dataDir).replaceAll("'", `'\\''`)}'\n`;
}

/** Printed until there is an owner. Only someone with this link can become the first one. */
async function setupLine(context: Context, config: Config, address: string): Promise<string> {
  if (await isSetUp(context.db.query)) return '';
  const url = setupUrl(await openOperators(context), config.isPublicUrlSet ? config.publicUrl : address);
  return `\nCreate the owner's account: ${url}`;
}
