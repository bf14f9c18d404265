import type { Selectable } from 'kysely';
import type { Config } from '../config/config.ts';
import type { Database, Trx } from '../db/database.ts';
import type { ScheduledTask } from '../db/scheduler.ts';
import { sharedNow } from '../db/shared-clock.ts';
import type { Tables } from '../db/tables.ts';
import { formatId, newId } from '../lib/ids.ts';
import { HOUR_MS, isoTime } from '../lib/time.ts';
import { openAccounts } from '../mail/operators/notices.ts';
import { type AlertSettings, readAlerts } from '../operators/alerts.ts';
import { changeOperators } from '../operators/audit.ts';
import type { HealthChange, OperatorContext } from '../operators/context.ts';
import { readAnyOperator } from '../operators/operator.ts';
import { writeMessages } from '../outbox/message.ts';
import { INSTALLATION_ID } from '../outbox/target.ts';
import type { Context } from '../waitlist/queue/context.ts';
import { levelOf } from '../waitlist/upkeep/health.ts';
import { ALERT_TARGET } from '../webhooks/alert-channel.ts';
import { type AnyFinding, checkInstallation } from './health.ts';

const EVERY_MS = 60_000;
type HealthState = Selectable<Tables['health_state']>;

/** What is over sooner is not worth an alert. */
const FAILING_FOR_MS = 2 * 60_000;
/** So that what comes and goes is told once. */
const WELL_FOR_MS = 10 * 60_000;

/** Tells operators when a check fails and when it is well again, once, whichever instance notices it. */
export async function watchHealth(context: Context, config: Config): Promise<ScheduledTask> {
  const operators = await openAccounts(context);
  return {
    name: 'health alerts',
    ...{ everyMs: EVERY_MS, afterChanges: true, atLeastEveryMs: HOUR_MS },
    run: async () => {
      const { emails, webhookUrl } = await readAlerts(operators);
      if (!emails && webhookUrl === null) return true;
      return tellChanges(context, operators, config, await checkInstallation(context, config));
    },
  };
}

/** Resolves to false if it must look again soon, because something has only just changed. */
export async function tellChanges(
  context: Context,
  operators: OperatorContext,
  config: Pick<Config, 'publicUrl'>,
  findings: readonly AnyFinding[],
): Promise<boolean> {
  const expected = compare(await readStates(operators.db.query), findings, await sharedNow(operators));
  if (expected.isSame) return expected.settled; // Writing would keep an idle server awake.
  const settings = await readAlerts(operators);
  const { change, settled } = await changeOperators(operators, async (trx, now, tell) => {
    const compared = compare(await readStates(trx), findings, now);
    await trx.deleteFrom('health_state').execute();
    trx.insert('health_state', compared.kept);
    if (!isEmpty(compared.change))
      await write(operators, trx, tell, { settings, config, change: compared.change }, now);
    return compared;
  });
  if (!isEmpty(change)) context.wakeUps.send([ALERT_TARGET]);
  return settled;
}

/** Sends what an alert would be sent to, so that operators see whether it arrives. */
export async function sendTestAlert(
  context: Context,
  operators: OperatorContext,
  config: Pick<Config, 'publicUrl'>,
): Promise<void> {
  const settings = await readAlerts(operators);
  const change = { failing: [], recovered: [] };
  await changeOperators(operators, (trx, now, tell) =>
    write(operators, trx, tell, { settings, config, change }, now),
  );
  context.wakeUps.send([ALERT_TARGET]);
}

function isEmpty({ failing, recovered }: HealthChange): boolean {
  return failing.length + recovered.length === 0;
}

function nameOf({ what, endpoint, link }: AnyFinding): string {
  return `${what} ${endpoint?.id ?? link ?? ''}`.trim();
}

function readStates(query: Database['query']): Promise<HealthState[]> {
  return query.selectFrom('health_state').selectAll().orderBy('since').execute();
}

/** Compares with what was known, and returns what to keep of it and what operators should be told. */
function compare(known: readonly HealthState[], findings: readonly AnyFinding[], now: number) {
  const failing = new Map(
    findings.filter((finding) => levelOf(finding) === 'problem').map((finding) => [nameOf(finding), finding]),
  );
  const names = new Set(known.map(({ name }) => name));
  const states = [
    ...known.map((state) => {
      const isFailing = failing.has(state.name) ? 1 : 0;
      return isFailing === state.failing ? state : { ...state, failing: isFailing, since: now };
    }),
    ...[...failing]
      .filter(([name]) => !names.has(name))
      .map(([name, { what }]) => ({ name, what, failing: 1, since: now, told: 0 })),
  ];
  const begun = states.filter((state) => state.failing && !state.told && now - state.since >= FAILING_FOR_MS);
  const over = states.filter((state) => !state.failing && state.told && now - state.since >= WELL_FOR_MS);
  const kept = states
    .filter((state) => state.failing || (state.told && !over.includes(state)))
    .map((state) => (begun.includes(state) ? { ...state, told: 1 } : state));
  const failed = begun.map(({ name, what }) => ({ check: what, detail: failing.get(name)?.detail ?? '' }));
  const recovered = over.map(({ name, what }) => ({ check: what, detail: name.slice(what.length).trim() }));
  return {
    kept,
    isSame: kept.length === known.length && kept.every((state, index) => state === known[index]),
    change: { failing: failed, recovered } satisfies HealthChange,
    settled: kept.every((state) => state.failing === state.told),
  };
}

interface Alert {
  settings: AlertSettings;
  config: Pick<Config, 'publicUrl'>;
  change: HealthChange;
}

async function write(
  { vault }: OperatorContext,
  trx: Trx,
  tell: Parameters<Parameters<typeof changeOperators>[1]>[2],
  { settings, config, change }: Alert,
  now: number,
): Promise<void> {
  if (settings.emails) {
    const rows = await trx
      .selectFrom('operator')
      .selectAll()
      .where('role', 'in', ['owner', 'admin'])
      .execute();
    const active = rows.map((row) => readAnyOperator(vault, row)).filter(({ state }) => state === 'active');
    for (const operator of active) tell(operator, { kind: 'health', ...change });
  }
  if (settings.webhookUrl !== null) {
    const id = newId(now);
    const body = vault.seal('event.body', id, JSON.stringify(alertBody(config.publicUrl, id, change, now)));
    const message = { id, kind: 'health.changed', body, subjects: [], targets: [ALERT_TARGET] };
    writeMessages(trx, INSTALLATION_ID, [message], now);
  }
}

/** `text` is what chat services show. */
function alertBody(publicUrl: string, id: Uint8Array, { failing, recovered }: HealthChange, now: number) {
  const { host } = new URL(publicUrl);
  const lines = [
    ...failing.map(({ check, detail }) => `Failing: ${check}: ${detail}`),
    ...recovered.map(({ check, detail }) => `Well again: ${check} ${detail}`.trim()),
  ];
  const isTest = lines.length === 0;
  return {
    event: isTest ? 'health.test' : 'health.changed',
    id: formatId('evt', id),
    timestamp: isoTime(now),
    text: [`Doorlist on ${host}`, ...(isTest ? ['This is a test.'] : lines)].join('\n'),
    url: `${publicUrl}/instance/health`,
    data: { failing, recovered },
  };
}
