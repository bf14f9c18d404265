import pg from 'pg';
import { between, type Databases, type Run } from './scenario.ts';
import type { SmallDisk } from './small-disk.ts';

function diskOf({ disk }: Run): SmallDisk {
  if (!disk) throw new Error('this scenario needs a disk of its own');
  return disk;
}

export async function fillDisk(run: Run): Promise<void> {
  const { site, random, rounds, postgres } = run;
  const disk = diskOf(run);
  for (let round = 0; round < rounds; round += 1) {
    await between(random, 300, 800);
    site.ledger.fault();
    disk.fill();
    await between(random, 500, 2_500);
    disk.free();
    if (site.storage.engine === 'postgres') await revive(postgres);
  }
}

/** PostgreSQL gives up when its log finds no room, and an operator has to start it again. */
async function revive(postgres: Databases): Promise<void> {
  const client = new pg.Client({ connectionString: postgres.url });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('create temporary table room as select 1');
    await client.end();
  } catch {
    await postgres.restart();
  }
}

/** As a kernel leaves it after an error of the disk, until somebody has repaired it. */
export async function turnDiskReadOnly(run: Run): Promise<void> {
  const { site, random, rounds } = run;
  const disk = diskOf(run);
  for (let round = 0; round < rounds; round += 1) {
    await between(random, 300, 800);
    site.ledger.fault();
    await site.end(0, 'SIGKILL');
    disk.setReadOnly(true);
    const refused = await site.start(0).then(
      () => false,
      () => true,
    );
    if (!refused) {
      await between(random, 200, 600);
      await site.end(0, 'SIGKILL');
    }
    disk.setReadOnly(false);
    await site.start(0);
  }
}
