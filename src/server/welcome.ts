import type { Config } from '../config/config.ts';
import { type OwnCommands, ownCommands } from '../installation/own-commands.ts';
import { shellWord } from '../lib/text.ts';
import { openOperators } from '../operators/context.ts';
import { isSetUp, setupUrl } from '../operators/setup.ts';
import type { Context } from '../waitlist/queue/context.ts';
import { listWaitlists } from '../waitlist/settings/waitlists.ts';

interface Listening {
  port: number;
  metricsPort: number | undefined;
  threads: number;
}

/** What a server tells people once it is ready: where it is, and how to begin. */
export async function prepareWelcome(
  context: Context,
  config: Config,
): Promise<(listening: Listening, withoutDashboard: string | undefined) => string> {
  const [first] = await listWaitlists(context);
  const setup = await setupLine(context, config);
  return (listening, withoutDashboard) => {
    const { port, metricsPort, threads } = listening;
    const address = addressOf(config.host, port);
    const metrics =
      metricsPort === undefined ? '' : `\nMetrics: ${addressOf(config.metricsHost, metricsPort)}/metrics`;
    const answering = threads === 1 ? '' : `\nThreads that answer requests: ${threads}`;
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
    const id = first?.id ?? 'wl_acme';
    const own = ownCommands(config);
    const create = first ? '' : `  ${own.command} waitlist create ${id} --name "Acme"\n`;
    return `
Doorlist is ready at ${address} (${storage})
Dashboard: ${withoutDashboard ?? address}
API reference: ${address}/docs${metrics}${answering}${leaves}${setup(address)}

${first ? 'Create a key and add the next person:' : 'Create a waitlist and a key, and add the first person:'}

${sameStorage(own)}${create}  KEY=$(${own.command} key create --waitlist ${id} --env production --read --quiet)
  curl ${address}/sdk/v1/waitlist/signup -H "Authorization: Bearer $KEY" \\
    -H 'Content-Type: application/json' \\
    -d '{"waitlistId":"${id}","entries":[{"email":"ada@example.com"}]}'
`;
  };
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

/** Commands in another terminal would otherwise create a database of their own, or not find the master key. */
function sameStorage({ variables, secrets }: OwnCommands): string {
  const elsewhere = secrets.length === 0 ? '' : `  # In a terminal with the same ${secrets.join(' and ')}:\n`;
  const set = Object.entries(variables).map(([name, value]) => `  export ${name}=${shellWord(value)}\n`);
  return elsewhere + set.join('');
}

/** Printed until there is an owner. Only someone with this link can become the first one. */
async function setupLine(context: Context, config: Config): Promise<(address: string) => string> {
  if (await isSetUp(context.db.query)) return () => '';
  const operators = await openOperators(context);
  return (address) => {
    const url = setupUrl(operators, config.isPublicUrlSet ? config.publicUrl : address);
    return `\nCreate the owner's account: ${url}`;
  };
}
