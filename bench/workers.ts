import { SIGNUP } from './batches.ts';
import { createWaitlist } from './endpoints.ts';
import { onBothEngines } from './engines.ts';
import { flag } from './flags.ts';
import { type RunningDoorlist, startDoorlist } from './processes.ts';
import { type ProcessorTime, timeByThread } from './processor-time.ts';
import { median, printTable } from './report.ts';
import { requireWrk, runWrk, signupScript } from './wrk.ts';

const ROUNDS = 4;
const SECONDS = 5;
const REQUESTS = /^(main thread|requests \d+)$/;
/** Threads with less are not named. */
const LEAST_MICROSECONDS = 1;

interface Measured {
  perSecond: number;
  /** Microseconds of each thread for a signup. */
  threads: ProcessorTime;
  /** Of the thread that has the most to do, if the system divides connections evenly. */
  busiest: number;
}

/** Signups on one thread and on two, and what two would give where each thread has a core. On two cores, two are a loss. */
export async function benchWorkers(): Promise<boolean> {
  requireWrk();
  return onBothEngines(async (engine, _, newInstallation) => {
    const servers: RunningDoorlist[] = [];
    try {
      for (const workers of ['1', '2'])
        servers.push(await startDoorlist({ ...(await newInstallation()), DOORLIST_WORKERS: workers }));
      const [one, two] = (await measureInTurn(servers)) as [Measured, Measured];
      return printTable(`Threads that answer requests, on ${engine}`, [
        {
          ...{ what: 'signups on 2 threads, against 1, on this machine', unit: '/s', atLeast: 0.5 },
          ...{ measured: two.perSecond, limit: one.perSecond },
          note: `1: ${inWords(one)}; 2: ${inWords(two)}`,
        },
        {
          what: 'the same if each thread had a core: the busiest thread of 1, against 2',
          ...{ unit: 'µs', atLeast: 1.2, measured: one.busiest, limit: two.busiest },
        },
      ]);
    } finally {
      for (const server of servers) await server.stop();
    }
  });
}

/** In turns, so that both meet the same moments of the machine. The first round is a warm-up. */
async function measureInTurn(servers: readonly RunningDoorlist[]): Promise<Measured[]> {
  const keys = servers.map(createWaitlist);
  const runs: Measured[][] = servers.map(() => []);
  for (let round = 0; round <= ROUNDS; round += 1)
    for (const [at, server] of servers.entries()) runs[at]?.push(await measureOnce(server, keys[at] ?? ''));
  return runs.map(([, ...measured]) => ({
    perSecond: median(measured.map(({ perSecond }) => perSecond)),
    threads: measured.at(-1)?.threads ?? {},
    busiest: median(measured.map(({ busiest }) => busiest)),
  }));
}

async function measureOnce({ url, pid }: RunningDoorlist, key: string): Promise<Measured> {
  const before = timeByThread(pid);
  const load = {
    url,
    script: signupScript(SIGNUP, key),
    seconds: SECONDS,
    connections: flag('connections', 64),
  };
  const { perSecond, requests } = await runWrk(load);
  const spent = Object.entries(timeByThread(pid)).map(
    ([name, time]) => [name, (time - (before[name] ?? 0)) / 1_000 / requests] as const,
  );
  const [answering, others] = [true, false].map((answers) =>
    spent.filter(([name]) => REQUESTS.test(name) === answers).map(([, time]) => time),
  ) as [number[], number[]];
  const evenly = answering.reduce((sum, time) => sum + time, 0) / answering.length;
  return { perSecond, threads: Object.fromEntries(spent), busiest: Math.max(evenly, ...others) };
}

function inWords({ threads }: Measured): string {
  return Object.entries(threads)
    .filter(([, time]) => time >= LEAST_MICROSECONDS)
    .map(([name, time]) => `${name} ${Math.round(time)} µs`)
    .join(', ');
}
