import { type Expression, type SelectQueryBuilder, sql } from 'kysely';
import type { Dialect } from '../../db/dialect.ts';
import { statement } from '../../db/statement.ts';
import type { Status, Tables } from '../../db/tables.ts';
import { positionOf } from './positions.ts';

/** A row of `entry` with its live position and its referrer's sealed person. */
export interface EntryRow {
  seq: number;
  id: Uint8Array;
  status: Status;
  position: number | null;
  referrals: number;
  person: Uint8Array | null;
  referrer_id: Uint8Array | null;
  referrer_person: Uint8Array | null;
  created_at: number;
  invited_at: number | null;
  joined_at: number | null;
}

export type AliasedEntries = SelectQueryBuilder<Tables & { e: Tables['entry'] }, 'e', object>;

/**
 * The columns of an `EntryRow` except the position, which each query computes in its own way. A referrer who was
 * taken off the waitlist is not shown, like one who was erased.
 */
export function withEntryColumns(query: AliasedEntries, queueId: Expression<number>) {
  return query
    .leftJoin('entry as r', (join) =>
      join
        .on('r.queue_id', '=', queueId)
        .onRef('r.seq', '=', 'e.referrer_seq')
        .on('r.status', '<>', sql.lit('removed'))
        .on('e.credited', '=', sql.lit(1)),
    )
    .select(['e.seq', 'e.rank', 'e.id', 'e.status', 'e.referrals', 'e.person'])
    .select([
      'e.created_at',
      'e.invited_at',
      'e.joined_at',
      'r.id as referrer_id',
      'r.person as referrer_person',
    ]);
}

/** Entries of a queue with their live positions, each computed individually. */
export function selectEntries(db: Dialect, queueId: Expression<number>) {
  return withEntryColumns(db.query.selectFrom('entry as e') as AliasedEntries, queueId)
    .select(positionOf('e', queueId).as('position'))
    .where('e.queue_id', '=', queueId);
}

export const findBySeqs = statement<{ queueId: number; seqs: readonly number[] }, EntryRow>((db, parameter) =>
  selectEntries(db, parameter('queueId')).where((e) => db.in(e.ref('e.seq'), parameter('seqs'))),
);
