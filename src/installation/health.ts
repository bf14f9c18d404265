import path from 'node:path';
import type { Config } from '../config/config.ts';
import { sharedNow } from '../db/shared-clock.ts';
import { DAY_MS } from '../lib/time.ts';
import { checkSending } from '../mail/check-sending.ts';
import { isMasterKeySaved } from '../vault/master-key.ts';
import type { Context } from '../waitlist/queue/context.ts';
import { readConfirmation } from '../waitlist/upkeep/confirmations.ts';
import {
  ageInWords,
  checkJobs,
  checkStorage,
  checkVersions,
  checkWaves,
  checkWorkers,
  type Finding,
  glanceAtDeliveries,
} from '../waitlist/upkeep/health.ts';
import { currentMasterKey } from '../waitlist/upkeep/instance.ts';
import { checkEndpoints, type EndpointFinding } from '../webhooks/failing-endpoints.ts';
import { checkMailServer, judgeMails } from './check-mails.ts';
import { checkStored } from './check-stored.ts';
import { checkDamage } from './damage-note.ts';
import { explainError } from './explain-error.ts';
import { checkRotation } from './master-key-rotation.ts';
import { ownCommand } from './own-commands.ts';

/** A week of signups is a lot to lose. */
const BACKUP_AGE_MAX_MS = 7 * DAY_MS;

export type AnyFinding = Finding & Partial<Pick<EndpointFinding, 'endpoint'>>;

const UNKNOWN_WORK: Finding = {
  ...{ what: 'deliveries', ok: true, level: 'unchecked' },
  detail: 'unknown while a worker of the cluster does not answer',
};

/** Everything that `status`, the admin API and the dashboard say about the installation, in this order. */
export async function checkInstallation(context: Context, config: Config): Promise<AnyFinding[]> {
  const operation = await checkOperation(context, config);
  // What is about all queues cannot be counted then.
  if (operation.some(({ what, ok }) => what === 'cluster' && !ok)) return [...operation, UNKNOWN_WORK];
  return [
    ...operation,
    ...(await checkMailServer(context, config, config.smtpUrl !== undefined)),
    ...(await checkWork(context, await glanceAtDeliveries(context))),
  ];
}

/** Database, key, backup, disk and versions. */
export async function checkOperation(context: Context, config: Config): Promise<Finding[]> {
  const [database, ...storage] = await checkStorage(context, ` in ${config.dataDir}`);
  const lost = await checkKeyFile(context, config);
  return [
    ...(database ? [database] : []),
    ...checkDamage(config),
    ...(lost ? [lost] : [await checkMasterKey(context, config), ...(await checkRotation(context, config))]),
    await checkBackup(context, config),
    checkVersions(),
    ...storage,
  ];
}

/** Deliveries, as counted by the caller, waves and jobs. */
export async function checkWork(context: Context, deliveries: readonly Finding[]): Promise<AnyFinding[]> {
  const endpoints = await checkEndpoints(context);
  const judged = deliveries.map((finding) => {
    if (finding.what === 'emails') return judgeMails(context, finding);
    if (finding.what !== 'webhooks' || !finding.ok || endpoints.length === 0) return finding;
    return { ...finding, level: 'warning' as const };
  });
  return [
    ...(await Promise.all(judged)),
    ...(await checkSending(context)),
    ...endpoints,
    ...(await checkWaves(context)),
    await checkJobs(context),
    ...(await checkStored(context)),
    ...(await checkWorkers(context)),
  ];
}

/** A server works without its key file until it has to start again. Nothing if the file is well, or not used. */
async function checkKeyFile(context: Context, config: Config): Promise<Finding | undefined> {
  if (config.masterKey !== undefined) return undefined;
  const file = path.resolve(config.dataDir, 'master.key');
  const problem = await keyFileProblem(context, file).catch(
    (error: Error) => explainError(error, config) ?? `${file} cannot be read: ${error.message}.`,
  );
  if (problem === undefined) return undefined;
  return {
    ...{ what: 'master key', ok: false },
    detail: `${problem} The running server has the key in memory, and cannot start again without the file: put it back before you stop the server`,
  };
}

async function keyFileProblem(context: Context, file: string): Promise<string | undefined> {
  const { id } = await currentMasterKey(context);
  const kept = context.keyring.source.load();
  if (kept.some((each) => each.id.equals(id))) return undefined;
  return kept.length === 0 ? `${file} is missing.` : `${file} holds another key than the database has.`;
}

async function checkMasterKey(context: Context, config: Config): Promise<Finding> {
  const { masterKey, dataDir } = config;
  const what = 'master key';
  const confirmedAt = await readConfirmation(context, what);
  const source = masterKey === undefined ? 'from a file' : 'from DOORLIST_MASTER_KEY';
  const detail = `matches the database, ${source}`;
  if (confirmedAt !== undefined)
    return { what, ok: true, detail: `${detail}. A copy is kept, as confirmed on ${dateOf(confirmedAt)}` };
  if (masterKey !== undefined)
    return { what, ok: true, level: 'unchecked', detail: `${detail}. Whether there is a copy is not known` };
  if (isMasterKeySaved(dataDir, await currentMasterKey(context)))
    return { what, ok: true, detail: `${detail}, backed up` };
  return {
    ...{ what, ok: true, level: 'warning' },
    detail: `${detail}, not backed up yet: ${whyToSaveMasterKey(config)}`,
  };
}

export function whyToSaveMasterKey(config: Config): string {
  const [backup, show] = ['backup FILE', 'master-key show'].map((words) => ownCommand(config, words));
  return `without it, all personal data is lost. Run \`${backup}\`, or store the output of \`${show}\` in a safe place`;
}

async function checkBackup(context: Context, config: Config): Promise<Finding> {
  const what = 'backup';
  const { backup_at: at } = await context.db.query
    .selectFrom('instance')
    .select('backup_at')
    .executeTakeFirstOrThrow();
  const ageMs = at === null ? Number.POSITIVE_INFINITY : Math.max(0, (await sharedNow(context)) - at);
  const last =
    at === null
      ? `none was made with \`${ownCommand(config, 'backup FILE')}\``
      : `last made ${ageInWords(ageMs)} ago`;
  if (ageMs <= BACKUP_AGE_MAX_MS) return { what, ok: true, detail: last };
  const confirmedAt = await readConfirmation(context, what);
  return confirmedAt === undefined
    ? { what, ok: true, level: 'warning', detail: last }
    : {
        ...{ what, ok: true, level: 'unchecked' },
        detail: `${last}. Backups are made in another way, as confirmed on ${dateOf(confirmedAt)}`,
      };
}

function dateOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
