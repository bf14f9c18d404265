import type { TestContext } from 'node:test';
import { CompiledQuery } from 'kysely';
import type { Engine } from '../../src/db/database.ts';
import { PostgresConnection } from '../../src/db/postgres/kysely.ts';
import { SnapshotConnection, SqliteConnection, WriterConnection } from '../../src/db/sqlite/connections.ts';

/** Those that grow with the number of people. */
const LARGE = new Set([
  'entry',
  'metadata_pair',
  'invite',
  'event',
  'event_subject',
  'delivery',
  'delivery_attempt',
]);

const TIMES_EXPLAINED = 5;

type Connection = { executeQuery<R>(query: CompiledQuery): Promise<{ rows: R[] }> };

/**
 * From now on, the plan of each statement is read where it ran, right after it. Returns those that visit many
 * rows of a large table for each row of another.
 */
export function watchPlans(
  test: TestContext,
  engine: Engine,
): { readonly nested: string[]; seen: Map<string, number> } {
  const nested: string[] = [];
  const seen = new Map<string, number>();
  const classes = engine === 'postgres' ? [PostgresConnection] : [SnapshotConnection, WriterConnection];
  const prefix = engine === 'postgres' ? 'explain (format json) ' : 'explain query plan ';
  for (const { prototype } of classes) {
    const execute = prototype.executeQuery as Connection['executeQuery'];
    const explained = async function (this: Connection, query: CompiledQuery) {
      const answer = await execute.call(this, query);
      if (!isPlanned(query) || !isNews(seen, query.sql)) return answer;
      const { rows } = await execute.call(this, CompiledQuery.raw(prefix + query.sql, [...query.parameters]));
      const found =
        engine === 'postgres' ? nestedInPostgres(rows) : nestedInSqlite(rows as SqliteStep[], query.sql);
      if (found) nested.push(`${found}\n  ${query.sql}`);
      return answer;
    };
    test.mock.method(prototype, 'executeQuery', explained as never);
  }
  if (engine === 'sqlite') watchReads(test, seen, nested);
  return { nested, seen };
}

/** They have a connection of their own, on this thread. */
function watchReads(test: TestContext, seen: Map<string, number>, nested: string[]): void {
  const execute = SqliteConnection.prototype.executeQuery as Connection['executeQuery'];
  test.mock.method(SqliteConnection.prototype, 'executeQuery', async function (
    this: Connection,
    query: CompiledQuery,
  ) {
    const answer = await execute.call(this, query);
    if (!/^\s*(select|with)\b/i.test(query.sql) || !isNews(seen, query.sql)) return answer;
    const { rows } = await WriterConnection.prototype.executeQuery.call(
      this,
      CompiledQuery.raw(`explain query plan ${query.sql}`, [...query.parameters]),
    );
    const found = nestedInSqlite(rows as unknown as SqliteStep[], query.sql);
    if (found) nested.push(`${found}\n  ${query.sql}`);
    return answer;
  } as never);
}

/** The same statement has another plan in a snapshot, or when the tables have grown. */
function isNews(seen: Map<string, number>, text: string): boolean {
  const times = seen.get(text) ?? 0;
  seen.set(text, times + 1);
  return times < TIMES_EXPLAINED;
}

function isPlanned({ sql, rows }: CompiledQuery & { rows?: unknown }): boolean {
  return rows === undefined && /^\s*(select|with|update|delete)\b/i.test(sql) && !/set_config|pg_/.test(sql);
}

interface SqliteStep {
  id: number;
  parent: number;
  detail: string;
}

/** Steps with the same parent are loops, each inside the one before. */
function nestedInSqlite(steps: readonly SqliteStep[], text: string): string | undefined {
  const isRepeated = (step: SqliteStep): boolean => {
    const parent = steps.find(({ id }) => id === step.parent);
    return parent !== undefined && (/^CORRELATED/.test(parent.detail) || isRepeated(parent));
  };
  const isWide = ({ detail }: SqliteStep) => {
    const name = /^(?:SCAN|SEARCH) (\w+)/.exec(detail)?.[1];
    if (name === undefined || /AUTOMATIC|rowid=\?/.test(detail)) return false;
    const conditions = (detail.match(/[=<>]\?/g) ?? []).length;
    return conditions < 2 && LARGE.has(tableOf(name, text));
  };
  const bad = steps.find((step, index) => {
    if (!isWide(step)) return false;
    const outer = steps
      .slice(0, index)
      .some(({ parent, detail }) => parent === step.parent && /^(SCAN|SEARCH) (?!CONSTANT)/.test(detail));
    return outer || isRepeated(step);
  });
  return bad && steps.map(({ detail }) => detail).join(' | ');
}

function tableOf(name: string, text: string): string {
  return new RegExp(`"?(\\w+)"? as "?${name}"?\\b`).exec(text)?.[1] ?? name;
}

interface PostgresNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Cond'?: string;
  'Recheck Cond'?: string;
  'Hash Cond'?: string;
  'Merge Cond'?: string;
  'Parent Relationship'?: string;
  'Subplan Name'?: string;
  Plans?: PostgresNode[];
}

function nestedInPostgres(rows: unknown[]): string | undefined {
  const [row] = rows as { 'QUERY PLAN': { Plan: PostgresNode }[] | string }[];
  const told = row?.['QUERY PLAN'];
  const [plan] = typeof told === 'string' ? (JSON.parse(told) as { Plan: PostgresNode }[]) : (told ?? []);
  return plan && nestedBelow(plan.Plan, false);
}

/** Every row of the inner side is visited for each row of the outer one, unless an index finds the few. */
function nestedBelow(node: PostgresNode, repeated: boolean): string | undefined {
  const relation = node['Relation Name'];
  const condition = node['Index Cond'] ?? node['Recheck Cond'] ?? 'nothing';
  const conditions = (condition.match(/ [=<>] /g) ?? []).length;
  if (repeated && relation !== undefined && LARGE.has(relation) && conditions < 2)
    return `${node['Node Type']} of ${relation} by ${condition}, in a loop`;
  const joined = node['Hash Cond'] ?? node['Merge Cond'];
  const isLarge = (node.Plans ?? []).every(readsLarge);
  if (
    joined !== undefined &&
    isLarge &&
    (joined.match(/\w+(?= = )/g) ?? []).every((column) => column === 'queue_id')
  )
    return `${node['Node Type']} by nothing but ${joined}`;
  for (const [index, child] of (node.Plans ?? []).entries()) {
    const isInner = node['Node Type'] === 'Nested Loop' && index === 1;
    const isSubPlan = child['Parent Relationship'] === 'SubPlan' && !node['Subplan Name']?.includes('hashed');
    const found = nestedBelow(child, repeated || isInner || isSubPlan);
    if (found) return found;
  }
  return undefined;
}

function readsLarge(node: PostgresNode): boolean {
  return LARGE.has(node['Relation Name'] ?? '') || (node.Plans ?? []).some(readsLarge);
}
