import { CompiledQuery } from 'kysely';
import type { Trx } from '../database.ts';
import { KNOWN_SCHEMA, SUPERSEDED_MESSAGE } from './known-schema.ts';

/** Each change of a queue, of settings or by an operator updates one of these. */
const GATED = ['queue', 'queue_state', 'instance', 'audit_head'];

/**
 * Row triggers ask the connection which schema version it knows. Other programs have no such function, and fail.
 */
export async function closeToEarlier(trx: Trx, version: number): Promise<void> {
  const { rows } = await trx.executeQuery<{ name: string }>(
    CompiledQuery.raw(`select name from sqlite_master where type = 'table'`),
  );
  const existing = new Set(rows.map(({ name }) => name));
  for (const table of GATED.filter((name) => existing.has(name))) {
    const name = `doorlist_schema_gate_${table}`;
    await trx.executeQuery(CompiledQuery.raw(`drop trigger if exists ${name}`));
    await trx.executeQuery(
      CompiledQuery.raw(
        `create trigger ${name} before update on ${table} when ${KNOWN_SCHEMA}() < ${version}
        begin select raise(abort, '${SUPERSEDED_MESSAGE}'); end`,
      ),
    );
  }
}
