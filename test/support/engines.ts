import type { Engine } from '../../src/db/database.ts';

export const ENGINES: readonly Engine[] = ['sqlite', 'postgres'];

/** Those of this run: both, unless it was started for one of them. */
export const CHOSEN_ENGINES = ENGINES.filter(
  (engine) => engine === (process.env.DOORLIST_TEST_ENGINE ?? engine),
);
