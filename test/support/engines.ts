import type { Engine } from '../../src/db/database.ts';

export const ENGINES: readonly Engine[] = ['sqlite', 'postgres'];

/** Those of this process: both, unless the run has chosen one of them for its files. */
export const CHOSEN_ENGINES = ENGINES.filter(
  (engine) => engine === (process.env.DOORLIST_TEST_ENGINE ?? engine),
);

/**
 * What can differ between the engines. A test file that names one of these, as `forEachEngine('locks', …)` does, runs on
 * both in every run; `npm test` draws from the others.
 */
export type Difference =
  | 'bulk'
  | 'claims'
  | 'concurrency'
  | 'kills'
  | 'locks'
  | 'notifications'
  | 'plans'
  | 'start'
  | 'time'
  | 'upgrades';
