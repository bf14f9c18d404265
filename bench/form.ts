import { setTimeout } from 'node:timers/promises';
import { type Challenge, solveChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import { Agent, request } from 'undici';
import { createDatabase } from '../test/support/databases.ts';
import { startPostgres } from '../test/support/postgres.ts';
import { type RunningDoorlist, startDoorlist } from './processes.ts';
import { median, printTable } from './report.ts';
import { requireWrk, runWrk, signupScript } from './wrk.ts';

const POSTS = 20_000;
/** A flood of a minute. */
const POSTS_PER_SECOND = 400;
const ROUNDS = 3;
const SECONDS = 4;
const SIGNUP = '/sdk/v1/waitlist/signup';
const NO_LIMITS = { DOORLIST_RATE_LIMIT_FORM: '0', DOORLIST_RATE_LIMIT_FORM_WAITLIST: '0' };

/** Signups by key while bots post to the form of the same waitlist, against the same without bots. */
export async function benchForm(): Promise<boolean> {
  requireWrk();
  const sqlite = await onEngine('SQLite', NO_LIMITS);
  const server = await startPostgres();
  try {
    const { url } = await createDatabase(server.url);
    return (await onEngine('PostgreSQL', { ...NO_LIMITS, DATABASE_URL: url })) && sqlite;
  } finally {
    await server.stop();
  }
}

async function onEngine(name: string, environment: Record<string, string>): Promise<boolean> {
  const doorlist = await startDoorlist(environment);
  const agent = new Agent({ connections: 16 });
  try {
    const { key, formUrl } = await prepare(doorlist);
    const kinds = await botsOf(formUrl);
    const script = () => signupScript(SIGNUP, key);
    const measure = async () =>
      (await runWrk({ url: doorlist.url, script: script(), seconds: SECONDS })).perSecond;
    const alone: number[] = [];
    const measureAlone = async () => {
      for (let i = 0; i < ROUNDS; i += 1) alone.push(await measure());
    };
    await measure(); // Warms up.
    await measureAlone();
    const flooding = flood(agent, formUrl, kinds);
    const flooded = [];
    while (!flooding.isOver()) flooded.push(await measure());
    const { sent, refused } = await flooding.done;
    await measureAlone(); // Once more, because signups slow down as the tables grow, with bots or without.
    process.stdout.write(`\n${name}: ${refused} of ${sent} posts of bots were refused\n`);
    const row = { what: 'signups during a flood', unit: '/s', atLeast: 0.8 };
    const fast = printTable(`Form on ${name}`, [{ ...row, measured: median(flooded), limit: median(alone) }]);
    return fast && refused === sent;
  } finally {
    await agent.close();
    await doorlist.stop();
  }
}

async function prepare(doorlist: RunningDoorlist): Promise<{ key: string; formUrl: string }> {
  doorlist.command('waitlist', 'create', 'wl_bench', '--name', 'Bench');
  const { key } = doorlist.command<{ key: string }>(
    'key',
    'create',
    '--waitlist',
    'wl_bench',
    '--env',
    'production',
  );
  const { token } = doorlist.command<{ token: string }>(
    'admin-token',
    'create',
    '--name',
    'bench',
    '--role',
    'admin',
  );
  const answer = await fetch(`${doorlist.url}/admin/v1/waitlists/wl_bench/form`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ enabled: true, blockDisposable: true }),
  });
  const form = (await answer.json()) as { key: string };
  await setTimeout(1_000); // Settings are cached for a moment.
  return { key, formUrl: `${doorlist.url}/form/v1/${form.key}` };
}

type Bot = (email: string) => Record<string, unknown>;

/** What bots do: no token, a made-up one, a challenge that was used, a field that people do not see, a throwaway address. */
async function botsOf(formUrl: string): Promise<Bot[]> {
  const spent = await solved(formUrl);
  await post(formUrl, { email: 'human@example.com', proof: spent });
  const fresh = await solved(formUrl);
  return [
    (email) => ({ email }),
    (email) => ({ email, token: '0'.repeat(51) }),
    (email) => ({ email, proof: spent }),
    (email) => ({ email, proof: fresh, website: 'https://spam.example' }),
    () => ({ email: 'bot@mailinator.com', proof: fresh }),
  ];
}

async function solved(formUrl: string): Promise<string> {
  const { challenge } = (await (await fetch(formUrl)).json()) as { challenge: Challenge };
  const solution = await solveChallenge({ challenge, deriveKey });
  await setTimeout(1_000); // Faster than people are.
  return Buffer.from(JSON.stringify({ challenge, solution })).toString('base64');
}

async function post(url: string, body: object, dispatcher?: Agent): Promise<number> {
  const answer = await request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(dispatcher ? { dispatcher } : {}),
  });
  await answer.body.dump();
  return answer.statusCode;
}

function flood(agent: Agent, url: string, kinds: readonly Bot[]) {
  let over = false;
  const run = async () => {
    const startedAt = performance.now();
    const answers: Promise<number>[] = [];
    for (let i = 0; i < POSTS; i += 1) {
      const bot = kinds[i % kinds.length] as Bot;
      answers.push(post(url, bot(`bot${i}@example.com`), agent));
      const aheadMs = (i / POSTS_PER_SECOND) * 1_000 - (performance.now() - startedAt);
      if (aheadMs > 5) await setTimeout(aheadMs);
    }
    const statuses = await Promise.all(answers);
    over = true;
    return { sent: POSTS, refused: statuses.filter((status) => status === 403).length };
  };
  return { done: run(), isOver: () => over };
}
