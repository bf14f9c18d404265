import type { AddressInfo } from 'node:net';
import { setInterval } from 'node:timers';
import { buildApp } from './app.ts';
import type { Config } from './config.ts';
import { rememberSending } from './events/emails/sending.ts';
import { checkSmtpAtStart } from './events/emails/smtp-check.ts';
import { startOutbox } from './events/start.ts';
import { openWaitingRoom } from './http/waiting-room.ts';
import { createLogger } from './log.ts';
import { openContext } from './service.ts';
import type { Context, Log } from './waitlist/context.ts';
import { trackKeyUsage } from './waitlist/keys/key-usage.ts';
import { listWaitlists } from './waitlist/settings/waitlists.ts';
import { openSignupDesk } from './waitlist/signup/signup.ts';
import { startUpkeep } from './waitlist/upkeep.ts';

/** What is still under way then is cut off: supervisors kill after 30 s. */
const DRAIN_DEADLINE_MS = 25_000;
const LOG_FLUSH_EVERY_MS = 1_000;

/** Serves until a signal asks it to stop; resolves with the exit code. */
export async function serve(config: Config, print: (text: string) => void): Promise<number> {
  const log = createLogger(config.logLevel);
  const asked = nextSignal();
  let starting = true;
  asked.then(() => {
    if (starting) process.exit(0); // Nothing was promised to anybody yet, and what is half done is rolled back.
  });
  const { context, app, draining, keyUsage } = await startListening(config, log, () => {
    starting = false;
  });
  const { port } = app.server.address() as AddressInfo;
  await rememberSending(context, config);
  const outbox = await startOutbox(context, config);
  void checkSmtpAtStart(log, config.smtpUrl);
  const upkeep = startUpkeep(context);
  print(await welcome(context, config, port));
  const flushing = setInterval(() => log.flush(), LOG_FLUSH_EVERY_MS);

  const signal = await asked;
  log.info({ signal }, 'stopping: new requests get a 503, those under way are finished');
  nextSignal().then(() => process.exit(1)); // Asked twice: whoever asks means now.
  await Promise.race([Promise.all([draining.start(), outbox.stop()]), pause(DRAIN_DEADLINE_MS)]);
  app.server.closeAllConnections();
  await app.close();
  await upkeep.close();
  await keyUsage.close();
  await context.db.close();
  clearInterval(flushing);
  await new Promise((resolve) => log.flush(resolve));
  return 0;
}

/** Whoever asks is told to wait until everything is open. */
async function startListening(config: Config, log: Log, ready: () => void) {
  const address = { host: config.host, port: config.port };
  // Nobody can know a port that is still to be chosen.
  const waitingRoom = config.port === 0 ? undefined : await openWaitingRoom(address);
  const context = await openContext(config, log).catch(async (error) => {
    await waitingRoom?.close();
    throw error;
  });
  const keyUsage = trackKeyUsage(context);
  const { app, draining } = await buildApp({
    context,
    keyUsage,
    signups: openSignupDesk(context, config.mostWaitingSignups),
    rateLimits: config.rateLimits,
    trustedProxies: config.trustedProxies,
  });
  try {
    await app.ready();
    await waitingRoom?.close();
    ready();
    await app.listen({ ...address, backlog: 4096 });
  } catch (error) {
    await app.close();
    await keyUsage.close();
    await context.db.close(); // Left open, it would keep the process from ending.
    throw error;
  }
  return { context, app, draining, keyUsage };
}

function nextSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => resolve(signal));
  });
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}

async function welcome(context: Context, config: Config, port: number): Promise<string> {
  const host = config.host === '0.0.0.0' || config.host === '::' ? '127.0.0.1' : config.host;
  const address = `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  const storage = config.databaseUrl ? 'PostgreSQL' : `SQLite in ${config.dataDir}`;
  const [first] = await listWaitlists(context);
  const id = first?.id ?? 'wl_acme';
  const create = first ? '' : `\n  npm run -s doorlist -- waitlist create ${id} --name "Acme"`;
  return `
Doorlist is ready at ${address} (${storage})
API reference: ${address}/docs

${first ? 'Make a key and add the next person:' : 'Make a waitlist and a key, and add the first person:'}
${create}
  KEY=$(npm run -s doorlist -- key create --waitlist ${id} --env production --read --quiet)
  curl ${address}/sdk/v1/waitlist/signup -H "Authorization: Bearer $KEY" \\
    -H 'Content-Type: application/json' \\
    -d '{"waitlistId":"${id}","entries":[{"email":"ada@example.com"}]}'
`;
}
