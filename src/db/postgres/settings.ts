import pg from 'pg';
import { SCHEMA_VERSION } from '../migrate.ts';
import { KNOWN_SCHEMA } from './schema-gate.ts';
import type { Command } from './session.ts';

/** Settings that limit or speed up our statements. Doorlist works without those that a server refuses. */
const OPTIONAL = {
  /**
   * A prepared statement keeps the plan of its first runs. A plan made for a nearly empty table would be a sequential
   * scan, and would still be used with a million rows.
   */
  enable_seqscan: 'off',
  enable_nestloop: 'on',
  /** Up to version 17, a scan that is turned off seems so costly that each statement with one would be compiled first. */
  jit: 'off',
  statement_timeout: '0',
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  work_mem: '64kB',
  temp_tablespaces: '',
} as const;

export type OptionalSetting = keyof typeof OPTIONAL;
export type Settings = Partial<Record<OptionalSetting, string>>;

/** Unknown, fixed, of another type, not for this user, or not supported. */
const REFUSED_STATE = /^(42704|55P02|22023|42501|0A000)$/;

interface TimeLimits {
  readonly statementMs: number;
  readonly idleInTransactionMs: number;
}

type Asker = Pick<pg.ClientBase, 'query'>;

/**
 * Which of the optional settings this server refuses. All are tried at once, for the length of one statement, and one
 * by one only if that fails.
 */
export async function findRefusedSettings(client: Asker): Promise<ReadonlySet<OptionalSetting>> {
  const isRefused = async (settings: Settings) => {
    try {
      await client.query(setLocal(settings).text);
      return false;
    } catch (error) {
      if (error instanceof pg.DatabaseError && REFUSED_STATE.test(error.code ?? '')) return true;
      throw error;
    }
  };
  const refused = new Set<OptionalSetting>();
  if (!(await isRefused(OPTIONAL))) return refused;
  for (const [name, value] of Object.entries(OPTIONAL))
    if (await isRefused({ [name]: value })) refused.add(name as OptionalSetting);
  return refused;
}

/** For the rest of the transaction, without those that the server refuses. */
export function setLocal(settings: Settings, refused: ReadonlySet<OptionalSetting> = new Set()): Command {
  return { text: `select ${callsFor(settings, refused, true) || '1'}` };
}

/**
 * Configures the session if it is ours alone. A pooler reports a made-up process id, which differs from the
 * server's.
 */
export function setSession(
  processId: number,
  limits: TimeLimits,
  refused: ReadonlySet<OptionalSetting>,
): pg.QueryConfig {
  const calls = [callsFor(usualSettings(limits), refused, false), knownSchema(false)].filter(Boolean);
  return { text: `select ${calls.join(', ')} where pg_backend_pid() = $1`, values: [processId] };
}

/** The same settings for a single transaction, in any session. */
export function setTransaction(limits: TimeLimits, refused: ReadonlySet<OptionalSetting>): Command {
  const calls = [callsFor(usualSettings(limits), refused, true), knownSchema(true)].filter(Boolean);
  return { text: `select ${calls.join(', ')}` };
}

function usualSettings({ statementMs, idleInTransactionMs }: TimeLimits): Settings {
  return {
    enable_seqscan: OPTIONAL.enable_seqscan,
    jit: OPTIONAL.jit,
    statement_timeout: String(statementMs),
    idle_in_transaction_session_timeout: String(idleInTransactionMs),
  };
}

/** Not optional: without it, the schema refuses our writes. */
function knownSchema(local: boolean): string {
  return `set_config('${KNOWN_SCHEMA}', '${SCHEMA_VERSION}', ${local})`;
}

function callsFor(settings: Settings, refused: ReadonlySet<OptionalSetting>, local: boolean): string {
  return Object.entries(settings)
    .filter(([name]) => !refused.has(name as OptionalSetting))
    .map(([name, value]) => `set_config('${name}', '${value}', ${local})`)
    .join(', ');
}
