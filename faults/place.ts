import { type Pair, startPair } from '../test/support/pair.ts';
import { startPostgres } from '../test/support/postgres.ts';
import { createStorage, type Storage } from '../test/support/storage.ts';
import type { Databases, Scenario } from './scenario.ts';
import { mountSmallDisk, type SmallDisk } from './small-disk.ts';

/** Where the data of a scenario is. */
export interface Place {
  readonly storage: Storage;
  readonly postgres: Databases;
  readonly disk: SmallDisk | undefined;
  readonly pair: Pair | undefined;
  close(): Promise<void>;
}

/** Nothing, if this machine does not have it. */
export async function openPlace(scenario: Scenario, shared: Databases): Promise<Place | undefined> {
  if (scenario.paired) {
    const pair = await startPair();
    return { storage: pair.storage, postgres: shared, disk: undefined, pair, close: pair.close };
  }
  if (scenario.diskMegabytes !== undefined) return onSmallDisk(scenario, scenario.diskMegabytes, shared);
  const storage = await createStorage(scenario.engine, { serverUrl: shared.url });
  return { storage, postgres: shared, disk: undefined, pair: undefined, close: async () => {} };
}

async function onSmallDisk(
  { engine }: Scenario,
  megabytes: number,
  shared: Databases,
): Promise<Place | undefined> {
  const disk = mountSmallDisk(megabytes);
  if (!disk) return undefined;
  const { directory: within } = disk;
  const own = engine === 'postgres' ? await startPostgres({ within }) : undefined;
  const storage = await createStorage(engine, own ? { serverUrl: own.url } : { within });
  const close = async () => {
    await own?.stop();
    disk.remove();
  };
  return { storage, postgres: own ?? shared, disk, pair: undefined, close };
}
