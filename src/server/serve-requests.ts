import { setInterval } from 'node:timers';
import type { MessagePort } from 'node:worker_threads';
import { openForThread } from '../installation/open.ts';
import { createThreadLogger, LOG_FLUSH_EVERY_MS } from '../lib/log.ts';
import { sharedCounts } from '../lib/shared-counts.ts';
import { passRepeatedOn } from '../lib/sparing-log.ts';
import { muteStates, passStatesOn } from '../lib/state-log.ts';
import { connectThread, type OtherThread } from '../lib/thread-calls.ts';
import type { Passwords } from '../operators/password.ts';
import type { WakeUps } from '../outbox/message.ts';
import { trackKeyUsage } from '../waitlist/keys/key-usage.ts';
import { openSignups } from '../waitlist/signup/signup.ts';
import { buildApp } from './app.ts';
import { appParts, builtDashboard, openTracer } from './app-parts.ts';
import { type Address, listenOn } from './listen.ts';
import { createMetrics } from './metrics.ts';
import { watchRejections } from './process-events.ts';
import type { BuildState, MainOffers, ThreadData, ThreadOffers } from './thread-offers.ts';

type MainThread = OtherThread<MainOffers>;

/**
 * Answers requests on a further thread, as an instance with the role `api` does. The main thread directs it, and does
 * everything that is done once for a server.
 */
export function serveRequests(port: MessagePort, data: ThreadData): void {
  let opened: Awaited<ReturnType<typeof openThread>> | undefined;
  const ready = () => {
    if (!opened) throw new Error('this thread is not open');
    return opened;
  };
  let dashboard: BuildState = { problem: undefined, building: false };
  const main = connectThread<MainOffers>(port, {
    open: async (input) => {
      dashboard = input.dashboard;
      opened = await openThread(main, data, input.port, () => dashboard);
    },
    showDashboard: (state) => {
      dashboard = state;
    },
    listen: (address) => ready().listen(address),
    metrics: () => ready().metrics(),
    announceStop: () => ready().announceStop(),
    drain: () => ready().drain(),
    close: async () => opened?.close(),
  } satisfies ThreadOffers);
}

async function openThread(
  main: MainThread,
  { config, limits, connections, memory }: ThreadData,
  port: MessagePort | undefined,
  dashboard: () => BuildState,
) {
  const log = createThreadLogger(config.logLevel, (lines) => main.tell('writeLog', lines));
  const flushing = setInterval(() => log.flush(), LOG_FLUSH_EVERY_MS);
  passRepeatedOn(log, (kind, level, fields, message) =>
    main.tell('logSparingly', { kind, level, fields, message }),
  );
  passStatesOn(log, (name, state, fields) => main.tell('reportState', { name, state, fields }));
  const metrics = createMetrics();
  watchRejections(log, metrics.meter);
  const tracer = await openTracer(config, {
    ...{ log, meter: metrics.meter },
    passOn: (traceId, origin) => main.tell('rememberOrigin', { traceId, origin }),
  });
  const opened = await openForThread(config, log, {
    ...{ port, limits, connections, tracer, meter: metrics.meter },
    counts: sharedCounts(memory),
    wakeUps: wakeUpsOf(main),
  });
  // The main thread knows that nobody needs to hear of this write.
  const context = { ...opened, db: { ...opened.db, probe: () => main.call('probe', undefined) } };
  context.db.onChange(() => main.tell('noteChange', undefined));
  context.db.superseded.addEventListener('abort', () => {
    muteStates(log); // All that fails from now on fails for this reason.
    main.tell('noteSuperseded', undefined);
  });
  const keyUsage = trackKeyUsage(context);
  const parts = appParts(config, {
    ...{ context, keyUsage, passwords: passwordsOf(main) },
    signups: openSignups(context, config.mostWaitingSignups),
    metrics: { contentType: metrics.contentType, read: () => main.call('readMetrics', undefined) },
    dashboard: builtDashboard(dashboard),
  });
  const { app, ...lifecycle } = await buildApp(parts);
  await app.ready();
  return {
    listen: (address: Address) => listenOn(app, address, true),
    metrics: () => metrics.ofThread(context),
    announceStop: () => {
      lifecycle.announceStop();
      return lifecycle.isProbed();
    },
    drain: lifecycle.drain,
    close: async () => {
      app.server.closeAllConnections();
      await app.close();
      await Promise.all([keyUsage.close(), tracer?.close()]);
      await context.db.close();
      clearInterval(flushing);
      await new Promise<void>((resolve) => log.flush(() => resolve()));
    },
  };
}

/** Deliveries are the main thread's business, which also tells other processes. */
function wakeUpsOf(main: MainThread): WakeUps {
  return {
    send: (targets) =>
      main.tell(
        'wake',
        targets.map(({ queueId, channel, id }) => ({ queueId, channel, id: new Uint8Array(id) })),
      ),
    listen: () => () => {},
  };
}

/** Hashing takes much memory and one of few threads, so the main thread limits it for all. */
function passwordsOf(main: MainThread): Passwords {
  return {
    hash: (password) => main.call('hashPassword', password),
    verify: (stored, password, isStranger = false) =>
      main.call('verifyPassword', { stored, password, isStranger }),
  };
}
