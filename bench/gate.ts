import { onBothEngines } from './engines.ts';
import { type RunningDoorlist, startDoorlist } from './processes.ts';

const BATCH = 100;
const CALLS = 1_000;
/** Of each series, before the server is warm. */
const WARM_UP = 200;
/** A person waits for the sign-up, and the provider gives up after a few seconds. */
const P99_MS_MAX = 50;

/** How long the gate takes to let an invited person in, or to turn somebody away. */
export function benchGate(): Promise<boolean> {
  return onBothEngines(async (name, environment) => {
    const doorlist = await startDoorlist(environment);
    try {
      return await measure(name, doorlist);
    } finally {
      await doorlist.stop();
    }
  });
}

async function measure(name: string, doorlist: RunningDoorlist): Promise<boolean> {
  const gateKey = await invitePeople(doorlist, 2 * (CALLS + WARM_UP));
  let next = 0;
  const invited = () => ask(doorlist, gateKey, `p${next++}@example.com`, true);
  const uninvited = () => ask(doorlist, gateKey, `nobody${next++}@example.com`, false);
  process.stdout.write(`\nGate on ${name}: the 99th percentile against ${P99_MS_MAX} ms\n`);
  let isFast = true;
  for (const [what, atOnce, call] of [
    ['invited, one at a time', 1, invited],
    ['invited, four at a time', 4, invited],
    ['not invited, one at a time', 1, uninvited],
  ] as const) {
    const times = (await repeat(CALLS + WARM_UP, atOnce, call)).slice(WARM_UP).sort((a, b) => a - b);
    const [p50 = 0, p99 = 0] = [0.5, 0.99].map((part) => times[Math.floor(times.length * part)]);
    const ratio = p99 / P99_MS_MAX;
    isFast &&= ratio <= 1;
    const figures = `p50 ${p50.toFixed(1)} ms  p99 ${p99.toFixed(1)} ms  ratio ${ratio.toFixed(2)}  <= 1.00`;
    process.stdout.write(`  ${what.padEnd(28)}${figures}  ${ratio <= 1 ? 'ok' : 'OVER'}\n`);
  }
  return isFast;
}

/** Returns a gate key. */
async function invitePeople(doorlist: RunningDoorlist, people: number): Promise<string> {
  doorlist.command('waitlist', 'create', 'wl_bench', '--name', 'Bench');
  const queue = ['--waitlist', 'wl_bench', '--env', 'production'];
  const { key = '' } = doorlist.command('key', 'create', ...queue);
  const { key: gateKey = '' } = doorlist.command('gate-key', 'create', ...queue);
  for (let from = 0; from < people; from += BATCH) {
    const entries = Array.from({ length: BATCH }, (_, at) => ({ email: `p${from + at}@example.com` }));
    const answer = await post(
      `${doorlist.url}/sdk/v1/waitlist/signup`,
      { waitlistId: 'wl_bench', entries },
      key,
    );
    if (answer.status !== 201) throw new Error(`signup: ${answer.status}`);
  }
  doorlist.command('invite', 'first', String(people), ...queue);
  return gateKey;
}

async function ask(
  { url }: RunningDoorlist,
  gateKey: string,
  email: string,
  expected: boolean,
): Promise<number> {
  const startedAt = performance.now();
  const answer = await post(`${url}/gate/v1/${gateKey}`, { email });
  const { allow } = (await answer.json()) as { allow?: boolean };
  if (allow !== expected) throw new Error(`${email}: ${allow}`);
  return performance.now() - startedAt;
}

function post(url: string, body: object, key?: string): Promise<Response> {
  const authorization = key === undefined ? {} : { authorization: `Bearer ${key}` };
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...authorization },
    body: JSON.stringify(body),
  });
}

async function repeat(count: number, atOnce: number, call: () => Promise<number>): Promise<number[]> {
  const times: number[] = [];
  let left = count;
  const work = async () => {
    while (left-- > 0) times.push(await call());
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return times;
}
