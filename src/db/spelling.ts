import type { Expression, Kysely, RawBuilder, SqlBool } from 'kysely';
import type { Tables } from './tables.ts';

/** What queries are written with: the builder, and what the engines spell differently. */
export interface Spelling {
  readonly query: Kysely<Tables>;
  /** `column in values`, as one bound parameter however many values there are. */
  in(
    column: Expression<unknown>,
    values: Expression<unknown> | readonly (number | Uint8Array)[],
  ): Expression<SqlBool>;
  /** How a parameter that is a list is bound. */
  list(values: readonly unknown[]): unknown;
  /** The clock that every instance shares, to be selected along with something else. */
  readonly clock: RawBuilder<number>;
  /** Ends a subquery whose rows are about to be updated: those that another transaction holds are left out. */
  readonly skipLocked: RawBuilder<unknown>;
}
