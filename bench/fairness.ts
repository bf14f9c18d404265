import { SIGNUP } from './batches.ts';
import { createWaitlist, SEEDED, seed } from './endpoints.ts';
import { onBothEngines } from './engines.ts';
import { startDoorlist } from './processes.ts';
import { median, printTable, type Row } from './report.ts';
import {
  getScript,
  type Measured,
  millisecondsOf,
  randomGetScript,
  requireWrk,
  runWrk,
  signupScript,
} from './wrk.ts';

const ROUNDS = 3;
const SECONDS = 4;
const CONNECTIONS = 64;
const PAGE_READERS = 16;

type Load = (connections?: number) => Promise<Measured>;

/** What a caller who reads pages takes from others, and how long the slowest requests take. */
export async function benchFairness(): Promise<boolean> {
  requireWrk();
  return onBothEngines(onEngine);
}

async function onEngine(name: string, environment: Record<string, string>): Promise<boolean> {
  const doorlist = await startDoorlist(environment);
  try {
    const key = createWaitlist(doorlist);
    await seed(doorlist, key);
    const load =
      (script: () => string): Load =>
      (connections = CONNECTIONS) =>
        runWrk({ url: doorlist.url, script: script(), seconds: SECONDS, connections });
    const entries = '/sdk/v1/waitlist/wl_bench/entries';
    const lookups = load(() => getScript(`${entries}/seed`, '@example.com', SEEDED, key));
    const signups = load(() => signupScript(SIGNUP, key));
    const pages = load(() => randomGetScript(`"${entries}?limit=100"`, key));
    const rows = [
      await besidePages('lookups', lookups, pages),
      await besidePages('signups', signups, pages),
      await tail('pages', pages, 5),
      await tail('signups', signups, 3),
    ];
    return printTable(`Fairness and tails on ${name}`, rows);
  } finally {
    await doorlist.stop();
  }
}

async function besidePages(what: string, load: Load, pages: Load): Promise<Row> {
  const alone: Measured[] = [];
  const beside: Measured[] = [];
  const read: Measured[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    alone.push(await load());
    const [measured, pagesRead] = await Promise.all([load(), pages(PAGE_READERS)]);
    beside.push(measured);
    read.push(pagesRead);
  }
  for (const runs of [alone, beside, read]) runs.shift(); // The first round was a warm-up.
  const [before, after, meanwhile] = [alone.at(-1), beside.at(-1), read.at(-1)];
  return {
    what: `${what} beside ${PAGE_READERS} page readers, against alone`,
    measured: median(beside.map(({ perSecond }) => perSecond)),
    limit: median(alone.map(({ perSecond }) => perSecond)),
    atLeast: 0.6,
    unit: '/s',
    note:
      `p50 ${after?.p50}, p99 ${after?.p99}; alone p50 ${before?.p50}, p99 ${before?.p99}; ` +
      `meanwhile ${Math.round(meanwhile?.perSecond ?? 0)} pages/s, p50 ${meanwhile?.p50}, p99 ${meanwhile?.p99}`,
  };
}

async function tail(what: string, load: Load, mostTimes: number): Promise<Row> {
  const runs: Measured[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) runs.push(await load());
  runs.shift(); // The first round was a warm-up.
  return {
    what: `${what}: p50 against p99`,
    measured: median(runs.map(({ p50 }) => millisecondsOf(p50))),
    limit: median(runs.map(({ p99 }) => millisecondsOf(p99))),
    atLeast: 1 / mostTimes,
    unit: 'ms',
    note: `${Math.round(median(runs.map(({ perSecond }) => perSecond)))}/s`,
  };
}
