import {
  type DatabaseConnection,
  Kysely,
  type Dialect as KyselyDialect,
  type RawBuilder,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
} from 'kysely';
import type { Dialect } from '../dialect.ts';
import type { Tables } from '../tables.ts';

/** For statements, which are compiled once and run on any connection. */
export const sqliteDialect: Dialect = {
  query: new Kysely<Tables>({ dialect: kyselyDialect() }),
  // JSON has no bytes, so they are passed as hexadecimal text. All text in the list is bytes.
  in: (column, values) => sql`${column} in (select iif(type = 'text', unhex(value), value)
    from json_each(${Array.isArray(values) ? sql.val(jsonList(values)) : values}))`,
  bytes: (list) => sql`(select unhex(value) as value from json_each(${list}))`,
  list: jsonList,
  clock: sql`cast(round(unixepoch('subsec') * 1000) as integer)`,
  skipLocked: sql``, // There is only one writer.
  dueTargets: dueTargets(),
  reachable: () => sql`true`,
  isSpread: false,
};

/** From queue to channel to target, because a subquery returns only one column. */
function dueTargets(): RawBuilder<unknown> {
  const first = (column: string, where: string) =>
    sql.raw(`(select d.${column} from delivery as d
    where d.due_at is not null and ${where} order by d.${column} limit 1)`);
  const sameQueue = (row: string) => `d.queue_id = ${row}.queue_id`;
  const sameChannel = (row: string) => `${sameQueue(row)} and d.channel = ${row}.channel`;
  return sql`with recursive q (queue_id) as (
      select ${first('queue_id', 'true')}
      union all
      select ${first('queue_id', 'd.queue_id > q.queue_id')} from q where q.queue_id is not null
    ), c (queue_id, channel) as (
      select q.queue_id, ${first('channel', sameQueue('q'))} from q where q.queue_id is not null
      union all
      select c.queue_id, ${first('channel', `${sameQueue('c')} and d.channel > c.channel`)} from c
      where c.channel is not null
    ), target (queue_id, channel, target_id) as (
      select c.queue_id, c.channel, ${first('target_id', sameChannel('c'))} from c where c.channel is not null
      union all
      select target.queue_id, target.channel,
        ${first('target_id', `${sameChannel('target')} and d.target_id > target.target_id`)} from target
      where target.target_id is not null
    )
    select queue_id, channel, target_id,
      ${first('due_at', `${sameChannel('target')} and d.target_id = target.target_id`)} as due_at
    from target where target_id is not null`;
}

function jsonList(values: readonly unknown[]): string {
  return JSON.stringify(values.map((value) => (value instanceof Uint8Array ? hexOf(value) : value)));
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}

/** Without a connection, queries can only be compiled. */
export function kyselyDialect(connection?: DatabaseConnection): KyselyDialect {
  const transactionsElsewhere = () => Promise.reject(new Error('use Database.transaction'));
  return {
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createDriver: () => ({
      init: async () => {},
      destroy: async () => {},
      acquireConnection: async () => connection ?? Promise.reject(new Error('this builder only compiles')),
      releaseConnection: async () => {},
      beginTransaction: transactionsElsewhere,
      commitTransaction: transactionsElsewhere,
      rollbackTransaction: transactionsElsewhere,
    }),
  };
}
