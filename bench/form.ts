import { setTimeout } from 'node:timers/promises';
import { type Challenge, solveChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import { onBothEngines } from './engines.ts';
import { type RunningDoorlist, startDoorlist } from './processes.ts';
import { median, printTable } from './report.ts';
import { postScript, requireWrk, runWrk, signupScript } from './wrk.ts';

const POSTS = 20_000;
const SECONDS = 4;
/** About 400 posts a second: an answer takes 100 ms or more. */
const BOTS = { connections: 64, delayMs: 45 };
const SIGNUP = '/sdk/v1/waitlist/signup';
const NO_LIMITS = { DOORLIST_RATE_LIMIT_FORM: '0', DOORLIST_RATE_LIMIT_FORM_WAITLIST: '0' };

/** Signups by key while bots post to the form of the same waitlist, against the same without bots. */
export async function benchForm(): Promise<boolean> {
  requireWrk();
  return onBothEngines((name, environment) => onEngine(name, { ...NO_LIMITS, ...environment }));
}

/** With and without bots in turn, because signups slow down as the tables grow. */
async function onEngine(name: string, environment: Record<string, string>): Promise<boolean> {
  const doorlist = await startDoorlist(environment);
  try {
    const { key, formUrl } = await prepare(doorlist);
    const bodies = await bodiesOfBots(formUrl);
    const signups = () => runWrk({ url: doorlist.url, script: signupScript(SIGNUP, key), seconds: SECONDS });
    const bots = () =>
      runWrk({
        url: doorlist.url,
        script: postScript(new URL(formUrl).pathname, bodies, BOTS.delayMs),
        seconds: SECONDS,
        connections: BOTS.connections,
      });
    const alone: number[] = [];
    const flooded: number[] = [];
    const posts = { sent: 0, refused: 0 };
    await signups(); // Warms up.
    while (posts.sent < POSTS) {
      alone.push((await signups()).perSecond);
      const [during, { requests, refused }] = await Promise.all([signups(), bots()]);
      flooded.push(during.perSecond);
      posts.sent += requests;
      posts.refused += refused;
    }
    process.stdout.write(`\n${name}: ${posts.refused} of ${posts.sent} posts of bots were refused\n`);
    const row = { what: 'signups during a flood', unit: '/s', atLeast: 0.8 };
    const fast = printTable(`Form on ${name}`, [{ ...row, measured: median(flooded), limit: median(alone) }]);
    return fast && posts.refused === posts.sent;
  } finally {
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

/** What bots do: no token, a made-up one, a challenge that was used, a field that people do not see, a throwaway address. */
async function bodiesOfBots(formUrl: string): Promise<string[]> {
  const spent = await solved(formUrl);
  await fetch(formUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'human@example.com', proof: spent }),
  });
  const fresh = await solved(formUrl);
  const email = 'bot@example.com';
  return [
    { email },
    { email, token: '0'.repeat(51) },
    { email, proof: spent },
    { email, proof: fresh, website: 'https://spam.example' },
    { email: 'bot@mailinator.com', proof: fresh },
  ].map((body) => JSON.stringify(body));
}

async function solved(formUrl: string): Promise<string> {
  const { challenge } = (await (await fetch(formUrl)).json()) as { challenge: Challenge };
  const solution = await solveChallenge({ challenge, deriveKey });
  await setTimeout(1_000); // Faster than people are.
  return Buffer.from(JSON.stringify({ challenge, solution })).toString('base64');
}
