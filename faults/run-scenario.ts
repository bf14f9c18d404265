import { startBalancer } from '../test/support/balancer.ts';
import { startPostgres } from '../test/support/postgres.ts';
import { seededRandom } from '../test/support/random.ts';
import { createStorage } from '../test/support/storage.ts';
import { startTraffic } from './clients.ts';
import type { Databases, Scenario } from './scenario.ts';
import { type Checked, Site } from './site.ts';
import { mountSmallDisk, type SmallDisk } from './small-disk.ts';

const CLIENTS = 4;

export interface Outcome extends Checked {
  scenario: string;
  rounds: number;
  people: number;
  recoveredInMs: number;
  /** What clients were told that cannot be, and what failed although nothing may fail. */
  problems: string[];
}

interface Options {
  seed: number;
  short: boolean;
  postgres: Databases;
}

/** Nothing, if this machine cannot do it. */
export async function runScenario(scenario: Scenario, options: Options): Promise<Outcome | undefined> {
  if (scenario.diskMegabytes === undefined) return runOn(scenario, options);
  const disk = mountSmallDisk(scenario.diskMegabytes);
  if (!disk) return undefined;
  const own = scenario.engine === 'postgres' ? await startPostgres({ within: disk.directory }) : undefined;
  try {
    return await runOn(scenario, { ...options, postgres: own ?? options.postgres }, disk);
  } finally {
    await own?.stop();
    disk.remove();
  }
}

/** Clients work while something breaks. Then everything that was acknowledged must be there, once. */
async function runOn(
  scenario: Scenario,
  { seed, short, postgres }: Options,
  disk?: SmallDisk,
): Promise<Outcome> {
  const random = seededRandom(seed);
  const rounds = scenario.rounds[short ? 1 : 0];
  const within = disk && scenario.engine === 'sqlite' ? { within: disk.directory } : {};
  const storage = await createStorage(scenario.engine, { ...within, serverUrl: postgres.url });
  const site = await Site.open(storage, scenario.instances);
  const balancer = scenario.balanced ? await startBalancer(site.ports) : undefined;
  try {
    const service = balancer ? Object.assign(Object.create(site), { urls: () => [balancer.url] }) : site;
    const traffic = startTraffic(service, site.ledger, { clients: CLIENTS, random });
    try {
      await scenario.faults({ site, random, rounds, postgres, disk });
    } finally {
      await traffic.stop();
    }
    const checked = await site.check();
    return {
      ...checked,
      scenario: `${scenario.name}, ${scenario.engine}`,
      rounds,
      people: site.ledger.people.size,
      recoveredInMs: site.ledger.recoveredInMs,
      problems: site.ledger.problems,
    };
  } finally {
    await balancer?.close();
    await site.close();
  }
}

/** In words; none if all is well. */
export function wrongIn(outcome: Outcome): string[] {
  const { lost, doubled, reverted, invented, misplaced, undelivered, unmailed, doctor, problems } = outcome;
  const lists = { lost, doubled, reverted, invented, misplaced, undelivered, unmailed, problems };
  return [
    ...Object.entries(lists).flatMap(([name, list]) =>
      list.length === 0 ? [] : [`${name}: ${list.slice(0, 5).join(', ')}`],
    ),
    ...(doctor === '' ? [] : [`doctor: ${doctor}`]),
    ...(outcome.people === 0 ? ['nobody could sign up'] : []),
  ];
}
