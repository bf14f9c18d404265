import { SIGNUP, signUpInBatches } from './batches.ts';
import type { Comparison, Load } from './comparison.ts';
import type { Running, RunningDoorlist } from './processes.ts';
import { getScript, randomGetScript, signupScript } from './wrk.ts';

export const SEEDED = 20_000;
const TWO_PAIRS = { plan: 'pro', source: 'launch' };
const DISTANT = 'signup with 10 ms to the database and back, against none';
/** A signup takes two round trips, so that few connections cannot fill the time that they take. */
const MANY_CONNECTIONS = 256;

export interface Bars {
  signup: number;
  lookup: number;
  check: number;
}

interface Servers {
  bare: Running;
  pipeline: Running;
  doorlist: RunningDoorlist;
  /** Doorlist at a distance from its database. */
  distant?: RunningDoorlist | undefined;
}

/** The public endpoints, each with its limit. */
export async function endpointComparisons(servers: Servers, bars: Bars): Promise<Comparison[]> {
  const { bare, pipeline, doorlist, distant } = servers;
  const key = createWaitlist(doorlist);
  await seed(doorlist, key);
  const signupTo = (to: Running, path: string, metadata?: Record<string, string>, as = key): Load => ({
    ...{ to, script: () => signupScript(path, as, metadata) },
  });
  const get = (to: Running, before: string, after = ''): Load => ({
    ...{ to, script: () => getScript(before, after, SEEDED, key) },
  });
  const signup = signupTo(doorlist, SIGNUP);
  const described = signupTo(doorlist, SIGNUP, TWO_PAIRS);
  const lookup = get(doorlist, '/sdk/v1/waitlist/wl_bench/entries/seed', '@example.com');
  const page: Load = {
    to: doorlist,
    script: () => randomGetScript('"/sdk/v1/waitlist/wl_bench/entries?limit=100"', key),
  };
  const bareEntry = get(bare, '/entry/');
  const check = get(doorlist, `/sdk/v1/waitlist/invites/${invite(doorlist)}?n=`);
  return [
    row('signup', bars.signup, signup, signupTo(bare, '/')),
    row('signup, against the bare pipeline', 0.65, signup, signupTo(pipeline, '/')),
    row('signup with two metadata pairs, against one without', 0.85, described, signup),
    ...(distant ? distances(signupTo(distant, SIGNUP, undefined, createWaitlist(distant)), signup) : []),
    row('entry lookup', bars.lookup, lookup, bareEntry),
    row('page of 100', 0.02, page, bareEntry),
    row('invite check', bars.check, check, get(bare, '/invite/')),
  ];
}

function distances(distant: Load, near: Load): Comparison[] {
  const many = (load: Load) => ({ ...load, connections: MANY_CONNECTIONS });
  return [
    row(DISTANT, 0.67, distant, near),
    row(`${DISTANT}, ${MANY_CONNECTIONS} connections`, 0.67, many(distant), many(near)),
  ];
}

function row(what: string, atLeast: number, ours: Load, theirs: Load): Comparison {
  return { what, atLeast, ours, theirs };
}

/** Returns a key for it. */
export function createWaitlist(doorlist: RunningDoorlist): string {
  doorlist.command('waitlist', 'create', 'wl_bench', '--name', 'Bench');
  return createKey(doorlist);
}

export function createKey(doorlist: RunningDoorlist): string {
  const grants = ['--waitlist', 'wl_bench', '--env', 'production', '--read'];
  return doorlist.command('key', 'create', ...grants).key ?? '';
}

function invite(doorlist: RunningDoorlist): string {
  const vip = ['--waitlist', 'wl_bench', '--email', 'vip@example.com'];
  return doorlist.command('invite', 'create', ...vip).code ?? '';
}

export function seed(doorlist: Running, key: string): Promise<void> {
  const person = (n: number) => ({ email: `seed${n + 1}@example.com` });
  return signUpInBatches(doorlist, { key, people: SEEDED, person });
}
