import { startBalancer } from '../test/support/balancer.ts';
import { seededRandom } from '../test/support/random.ts';
import { startTraffic } from './clients.ts';
import { openPlace, type Place } from './place.ts';
import type { Databases, Scenario } from './scenario.ts';
import { type Checked, Site } from './site.ts';

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

/** In words what is missing, if this machine cannot do it. */
export async function runScenario(scenario: Scenario, options: Options): Promise<Outcome | string> {
  const place = await openPlace(scenario, options.postgres);
  if (typeof place === 'string') return place;
  try {
    return await runAt(place, scenario, options);
  } finally {
    await place.close();
  }
}

/** Clients work while something breaks. Then everything that was acknowledged must be there, once. */
async function runAt(place: Place, scenario: Scenario, { seed, short }: Options): Promise<Outcome> {
  const random = seededRandom(seed);
  const rounds = scenario.rounds[short ? 1 : 0];
  const site = await Site.open(place.storage, scenario.instances);
  const balancer = scenario.balanced ? await startBalancer(site.ports) : undefined;
  try {
    const service = balancer ? Object.assign(Object.create(site), { urls: () => [balancer.url] }) : site;
    const traffic = startTraffic(service, site.ledger, { clients: CLIENTS, random });
    try {
      await scenario.faults({ ...place, site, random, rounds });
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
