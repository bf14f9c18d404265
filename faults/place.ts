import { CITUS_URL, WITHOUT_CITUS } from '../test/support/citus.ts';
import { createCitusTemplate } from '../test/support/citus-template.ts';
import { createDatabase } from '../test/support/databases.ts';
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

/** In words what is missing, if this machine does not have it. */
export async function openPlace(scenario: Scenario, shared: Databases): Promise<Place | string> {
  if (scenario.paired) {
    const pair = await startPair();
    return { storage: pair.storage, postgres: shared, disk: undefined, pair, close: pair.close };
  }
  if (scenario.spread) return onCitus(shared);
  if (scenario.diskMegabytes !== undefined) return onSmallDisk(scenario, scenario.diskMegabytes, shared);
  const storage = await createStorage(scenario.engine, { serverUrl: shared.url });
  return { storage, postgres: shared, disk: undefined, pair: undefined, close: async () => {} };
}

async function onCitus(shared: Databases): Promise<Place | string> {
  if (WITHOUT_CITUS) return WITHOUT_CITUS;
  const template = await createCitusTemplate(CITUS_URL ?? '');
  const { url, drop } = await createDatabase(CITUS_URL ?? '', template.name);
  const directory = await createStorage('sqlite');
  const remove = async () => {
    await drop();
    await template.drop();
    await directory.remove();
  };
  const environment = { ...directory.environment, DATABASE_URL: url };
  const storage: Storage = { ...directory, engine: 'postgres', environment, remove };
  return { storage, postgres: shared, disk: undefined, pair: undefined, close: async () => {} };
}

async function onSmallDisk(
  { engine }: Scenario,
  megabytes: number,
  shared: Databases,
): Promise<Place | string> {
  const disk = mountSmallDisk(megabytes);
  if (!disk) return 'only root may mount a small disk';
  const { directory: within } = disk;
  const own = engine === 'postgres' ? await startPostgres({ within }) : undefined;
  const storage = await createStorage(engine, own ? { serverUrl: own.url } : { within });
  const close = async () => {
    await own?.stop();
    disk.remove();
  };
  return { storage, postgres: own ?? shared, disk, pair: undefined, close };
}
