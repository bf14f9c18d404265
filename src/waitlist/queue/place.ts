import { type RawBuilder, sql } from 'kysely';
import type { QueueChange } from './queue-change.ts';

/** What the place of an entry follows from. */
export interface Placed {
  readonly seq: number;
  /** Joining sequences before it that nobody has any more. */
  readonly closed: number;
  /** Places before it that were opened for those whom an operator moved to the end. */
  readonly opened: number;
}

/** Where somebody joined among those who count. The joining sequence says who it is, and is never used again. */
export function placeOf({ seq, closed, opened }: Placed): number {
  return seq - closed + opened;
}

export function placeInSql(alias?: string): RawBuilder<number> {
  const column = (name: keyof Placed) => sql.ref(alias === undefined ? name : `${alias}.${name}`);
  return sql`${column('seq')} - ${column('closed')} + ${column('opened')}`;
}

/** Where the next one to join is placed: behind everyone who has joined. */
export function nextPlace({ lastSeq, places }: Pick<QueueChange, 'lastSeq' | 'places'>): number {
  return placeOf({ seq: lastSeq + 1, ...places });
}
