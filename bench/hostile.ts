import { ATTACKS, type Attack, attack } from './attacks.ts';
import { onBothEngines } from './engines.ts';
import { type RunningDoorlist, startDoorlist } from './processes.ts';
import { median, printTable, type Row } from './report.ts';
import { requireWrk, runWrk, signupScript } from './wrk.ts';

const ROUNDS = 3;
const SECONDS = 4;
const AT_LEAST = 0.7;
const SIGNUP = '/sdk/v1/waitlist/signup';

/** Signups by key during each attack, against the same without it. */
export async function benchHostile(): Promise<boolean> {
  requireWrk();
  return onBothEngines(onEngine);
}

async function onEngine(name: string, environment: Record<string, string>): Promise<boolean> {
  const doorlist = await startDoorlist(environment);
  try {
    doorlist.command('waitlist', 'create', 'wl_bench', '--name', 'Bench');
    const { key = '' } = doorlist.command('key', 'create', '--waitlist', 'wl_bench', '--env', 'production');
    const made = ['admin-token', 'create', '--name', 'bench', '--role', 'viewer'];
    const { token = '' } = doorlist.command(...made);
    const signups = async () => {
      const script = signupScript(SIGNUP, key);
      const { perSecond, refused } = await runWrk({ url: doorlist.url, script, seconds: SECONDS });
      if (refused > 0) throw new Error(`${refused} signups were refused`);
      return perSecond;
    };
    await signups(); // Warms up.
    const rows: Row[] = [];
    for (const kind of ATTACKS) rows.push(await measure(doorlist, kind, token, signups));
    return printTable(`Signups on ${name} during an attack, against without`, rows);
  } finally {
    await doorlist.stop();
  }
}

/** With and without the attack in turn, because signups slow down as the tables grow. */
async function measure(
  { url }: RunningDoorlist,
  kind: Attack,
  token: string,
  signups: () => Promise<number>,
): Promise<Row> {
  const quiet: number[] = [];
  const attacked: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    quiet.push(await signups());
    const { end } = await attack(kind, { url, token });
    attacked.push(await signups());
    end();
  }
  return {
    ...{ what: kind.name, unit: '/s', atLeast: AT_LEAST },
    ...{ measured: median(attacked), limit: median(quiet) },
  };
}
