import { setTimeout as sleep } from 'node:timers/promises';
import { onBothEngines } from './engines.ts';
import { type RunningDoorlist, startDoorlist } from './processes.ts';
import { median } from './report.ts';
import { requireWrk, runWrk, signupScript } from './wrk.ts';

const SHARE = 0.7;
const CONNECTIONS = 64;
const SAMPLE_EVERY_MS = 5_000;
const SIGNUP = '/sdk/v1/waitlist/signup';
/** The end against the beginning, after warming up. Caches of the database fill for a while. */
const MEMORY_GROWTH_MAX = 1.15;
/** Connections to the database come and go. */
const MORE_DESCRIPTORS_MAX = 10;
const LOG_BYTES_MAX = 10_000;

interface Sample {
  memory: number;
  descriptors: number;
  logBytes: number;
}

/** `SOAK_MINUTES` (10) of signups at 70% of the most, on each engine: memory and descriptors stay, and nothing goes wrong that is logged. */
export async function benchSoak(): Promise<boolean> {
  requireWrk();
  return onBothEngines(onEngine);
}

async function onEngine(name: string, environment: Record<string, string>): Promise<boolean> {
  const seconds = Math.round(60 * Number(process.env.SOAK_MINUTES ?? 10));
  // Without the line for each request.
  const doorlist = await startDoorlist({ ...environment, DOORLIST_LOG_LEVEL: 'warn' });
  try {
    doorlist.command('waitlist', 'create', 'wl_bench', '--name', 'Bench');
    const { key = '' } = doorlist.command('key', 'create', '--waitlist', 'wl_bench', '--env', 'production');
    const load = (delayMs: number, forSeconds: number) =>
      runWrk({
        url: doorlist.url,
        script: `${signupScript(SIGNUP, key)}\n delay = function() return ${delayMs} end`,
        seconds: forSeconds,
        connections: CONNECTIONS,
      });
    await load(0, 2); // Warms up.
    const most = (await load(0, 5)).perSecond;
    const delayMs = await delayFor(SHARE * most, (delay) => load(delay, 3));
    const soaking = load(delayMs, seconds);
    const samples = await sampleUntil(doorlist, soaking);
    const { perSecond, requests, refused } = await soaking;
    process.stdout.write(
      `\n${name}: ${requests} signups in ${seconds} s, ${(perSecond / most).toFixed(2)} of the most; ${refused} refused\n`,
    );
    return judge(samples) && refused === 0;
  } finally {
    await doorlist.stop();
  }
}

/** Before each request of a connection, so that all of them together reach the rate. */
async function delayFor(
  perSecond: number,
  attempt: (delayMs: number) => Promise<{ perSecond: number }>,
): Promise<number> {
  const between = (1_000 * CONNECTIONS) / perSecond;
  const reached = await attempt(Math.round(between));
  const takenMs = (1_000 * CONNECTIONS) / reached.perSecond - between;
  return Math.max(0, Math.round(between - takenMs));
}

async function sampleUntil(doorlist: RunningDoorlist, end: Promise<unknown>): Promise<Sample[]> {
  const samples: Sample[] = [];
  let over = false;
  end.finally(() => {
    over = true;
  });
  while (!over) {
    await Promise.race([sleep(SAMPLE_EVERY_MS), end]);
    samples.push({
      ...{ memory: doorlist.memory(), descriptors: doorlist.descriptors() },
      logBytes: doorlist.logBytes(),
    });
  }
  return samples;
}

function judge(samples: Sample[]): boolean {
  const fifth = Math.max(1, Math.floor(samples.length / 5));
  const early = samples.slice(fifth, 2 * fifth);
  const late = samples.slice(-fifth);
  const of = (some: Sample[], what: keyof Sample) => median(some.map((sample) => sample[what]));
  const growth = of(late, 'memory') / of(early, 'memory');
  const descriptors = of(late, 'descriptors') - of(early, 'descriptors');
  const logBytes = of(late, 'logBytes') - of(early, 'logBytes');
  const megabytes = (bytes: number) => `${Math.round(bytes / 1e6)} MB`;
  const lines: [string, boolean][] = [
    [
      `memory: ${growth.toFixed(2)} times (${megabytes(of(early, 'memory'))} to ${megabytes(of(late, 'memory'))})`,
      growth <= MEMORY_GROWTH_MAX,
    ],
    [`descriptors: ${descriptors} more`, descriptors <= MORE_DESCRIPTORS_MAX],
    [`log: ${logBytes} bytes more`, logBytes <= LOG_BYTES_MAX],
  ];
  for (const [text, passed] of lines) process.stdout.write(`  ${text}  ${passed ? 'ok' : 'GROWS'}\n`);
  return lines.every(([, passed]) => passed);
}
