import { flag } from './flags.ts';
import type { Running } from './processes.ts';
import { perRequest, processorTimeOf } from './processor-time.ts';
import { median, type Row } from './report.ts';
import { type Measured, runWrk } from './wrk.ts';

const ROUNDS = flag('rounds', 3);
const SECONDS = flag('seconds', 4);

/** Requests to one server. */
export interface Load {
  to: Running;
  /** For wrk, made anew for each run. */
  script(): string;
  connections?: number;
}

/** What is measured, in turns with what limits it. */
export interface Comparison {
  what: string;
  atLeast: number;
  ours: Load;
  theirs: Load;
}

interface Cost {
  measured: Measured;
  /** Processor time per request. */
  cost: string;
}

/** With the process id of the PostgreSQL server, if there is one. */
export async function compare({ what, atLeast, ours, theirs }: Comparison, postgres?: number): Promise<Row> {
  const runs: { limit: Cost; own: Cost }[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const limit = await measure(what, theirs, postgres);
    runs.push({ limit, own: await measure(what, ours, postgres) });
  }
  runs.shift(); // The first round was a warm-up.
  const { own, limit } = runs.at(-1) as { limit: Cost; own: Cost };
  const { p50, p99 } = own.measured;
  return {
    ...{ what, atLeast, unit: '/s' },
    measured: median(runs.map((each) => each.own.measured.perSecond)),
    limit: median(runs.map((each) => each.limit.measured.perSecond)),
    note: `p50 ${p50}, p99 ${p99}; processor time per request: ${own.cost}; of the limit: ${limit.cost}`,
  };
}

async function measure(what: string, load: Load, postgres: number | undefined): Promise<Cost> {
  const before = processorTimeOf(load.to.pid, postgres);
  const measured = await run(load);
  const after = processorTimeOf(load.to.pid, postgres);
  if (measured.refused > 0) throw new Error(`${what}: ${measured.refused} refused`);
  return { measured, cost: perRequest(before, after, measured.requests) };
}

function run({ to, script, connections = 64 }: Load): Promise<Measured> {
  return runWrk({ url: to.url, script: script(), seconds: SECONDS, connections });
}
