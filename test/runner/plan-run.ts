import type { Engine } from '../../src/db/database.ts';
import { cut, type Pack, type Planned, pack } from './packs.ts';
import { type Recorded, secondsOf } from './recorded.ts';
import type { RunOptions } from './run-options.ts';
import { type Selection, selectForBoth } from './selection.ts';
import type { TestFile } from './test-file.ts';

const SKIPPED_SECONDS = 0.1;

export interface Plan {
  /** Of this shard. */
  files: Planned[];
  /** Side by side, in this order. */
  packs: Pack[];
  /** One after the other, when those have ended. */
  alone: Pack[];
  selection: Selection | undefined;
}

/** What runs where. The same options, files and seed always lead to the same plan. */
export function planRun(
  {
    engine,
    chooses,
    shard,
    browser: withBrowser,
  }: Pick<RunOptions, 'engine' | 'chooses' | 'shard' | 'browser'>,
  files: readonly TestFile[],
  { recorded, seed, processes }: { recorded: Recorded; seed: number; processes: number },
): Plan {
  const selection = chooses ? selectForBoth(files, recorded, seed) : undefined;
  const secondsOn = (file: TestFile, engine?: Engine) =>
    file.browser && !withBrowser ? SKIPPED_SECONDS : secondsOf(file, recorded, engine);
  const timed = files.map((file) => ({ ...file, seconds: secondsOn(file) }));
  // Before anything is chosen by a seed, which may differ between the machines.
  const own = cut(timed, shard.of)[shard.number - 1] ?? [];
  const planned = own.map((one): Planned => {
    const { file, variesEngine, alone, browser, nextRelease } = one;
    const only = engine ?? (variesEngine && selection?.onBoth.has(file) === false ? 'sqlite' : undefined);
    return { file, engine: only, seconds: secondsOn(one, only), alone, browser, nextRelease };
  });
  const [beside, alone] = [planned.filter((one) => !one.alone), planned.filter((one) => one.alone)];
  return {
    files: planned,
    packs: pack(beside, processes),
    alone: alone.map((one) => ({ name: 'alone', files: [one] })),
    selection,
  };
}
