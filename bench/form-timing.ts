import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createChallenge, solveChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import { Pool } from 'undici';
import { readConfig } from '../src/config/config.ts';
import { openContext } from '../src/installation/open.ts';
import { createLogger } from '../src/lib/log.ts';
import { newTimeToken } from '../src/waitlist/forms/challenge.ts';
import { findForm, type LiveForm } from '../src/waitlist/forms/form.ts';
import { updateForm } from '../src/waitlist/forms/update-form.ts';
import type { Context } from '../src/waitlist/queue/context.ts';
import { updateWaitlist } from '../src/waitlist/settings/update-waitlist.ts';
import { createWaitlist } from '../src/waitlist/settings/waitlists.ts';
import { createDatabase } from '../test/support/databases.ts';
import { startPostgres } from '../test/support/postgres.ts';
import { startDoorlist } from './processes.ts';

const SAMPLES = 150;
const WARM_UP = 20;
/** Less than what a network adds at random. */
const RATIO_MAX = 1.1;
const TOKEN_AGE_MS = 2_000;

/** Whether the time of an answer of the form tells that an address is on the list: known against unknown ones. */
export async function benchFormTiming(): Promise<boolean> {
  const sqlite = await onEngine('SQLite');
  const server = await startPostgres();
  try {
    const { url } = await createDatabase(server.url);
    return (await onEngine('PostgreSQL', url)) && sqlite;
  } finally {
    await server.stop();
  }
}

async function onEngine(name: string, databaseUrl?: string): Promise<boolean> {
  const directory = mkdtempSync(path.join(tmpdir(), 'doorlist-timing-'));
  const variables = {
    DOORLIST_DATA_DIR: directory,
    DOORLIST_RATE_LIMIT_FORM: '0',
    DOORLIST_RATE_LIMIT_FORM_WAITLIST: '0',
    ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
  };
  const context = await openContext(readConfig(variables), createLogger('silent'));
  const server = await startDoorlist(variables);
  const client = new Pool(server.url, { connections: 16 });
  process.stdout.write(
    `\n${name}: time of the form for known addresses, as a multiple of that for unknown ones (median: at most ${RATIO_MAX} either way)\n`,
  );
  try {
    let passed = true;
    for (const confirmEmails of [false, true]) {
      const form = await openForm(context, confirmEmails);
      passed = (await compare(client, form, confirmEmails)) && passed;
    }
    return passed;
  } finally {
    await client.close();
    await server.stop();
    await context.db.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function openForm(context: Context, confirmEmails: boolean): Promise<LiveForm> {
  const id = confirmEmails ? 'wl_confirmed' : 'wl_open';
  await createWaitlist(context, { id, name: 'Bench' });
  await updateWaitlist(context, id, { confirmEmails });
  const queue = await context.registry.queue(id, 'production');
  if (!queue) throw new Error('no queue');
  const { key } = await updateForm(context, queue, { enabled: true });
  const form = await findForm(context, key ?? '');
  if (!form) throw new Error('no form');
  return form;
}

/** Both kinds in turn, each first as often as the other, so that a slow moment of the machine affects them alike. */
async function compare(client: Pool, form: LiveForm, confirmEmails: boolean): Promise<boolean> {
  const count = SAMPLES + WARM_UP;
  const known = Array.from({ length: count }, (_, i) => post(client, form, `known${i}@example.com`));
  await Promise.all(known);
  const answers = { known: [] as number[], unknown: [] as number[] };
  const pages = { known: [] as number[], unknown: [] as number[] };
  for (let i = 0; i < count; i += 1) {
    const order = i % 2 === 0 ? (['known', 'unknown'] as const) : (['unknown', 'known'] as const);
    for (const kind of order) {
      // Of the same length, and never typed today beside the signup.
      const email = `${kind === 'known' ? 'known' : 'fresh'}${i}@example.com`;
      const { took, statusUrl } = await post(client, form, email);
      const seen = statusUrl === undefined ? undefined : await look(client, new URL(statusUrl).pathname);
      if (i < WARM_UP) continue;
      answers[kind].push(took);
      if (seen !== undefined) pages[kind].push(seen);
    }
  }
  const what = confirmEmails ? 'with confirmed emails' : 'without confirmation';
  const passed = judge(`answer ${what}`, answers);
  return (pages.known.length === 0 || judge('status page', pages)) && passed;
}

function judge(what: string, { known, unknown }: { known: number[]; unknown: number[] }): boolean {
  const ratio = (share: number) => quantile(known, share) / quantile(unknown, share);
  const half = ratio(0.5);
  const passed = half <= RATIO_MAX && half >= 1 / RATIO_MAX;
  const cells = [what.padEnd(32), `median ${half.toFixed(2)}`, `p90 ${ratio(0.9).toFixed(2)}`];
  process.stdout.write(`  ${cells.join('   ')}   ${passed ? 'ok' : 'TELLS'}\n`);
  return passed;
}

/** As the form does that shows a position. */
async function look(client: Pool, path: string): Promise<number> {
  const startedAt = performance.now();
  const { body } = await client.request({ method: 'GET', path, headers: { accept: 'application/json' } });
  await body.dump();
  return performance.now() - startedAt;
}

async function post(client: Pool, form: LiveForm, email: string) {
  const body = JSON.stringify({ email, proof: await proofFor(form), include: 'status' });
  const headers = { 'content-type': 'application/json' };
  const startedAt = performance.now();
  const answer = await client.request({ method: 'POST', path: `/form/v1/${form.key}`, headers, body });
  const text = await answer.body.text();
  const took = performance.now() - startedAt;
  if (answer.statusCode !== 200) throw new Error(text);
  const { statusUrl } = JSON.parse(text) as { statusUrl?: string };
  return { took, statusUrl };
}

/** Signed like a served challenge, but with almost no work. */
async function proofFor(form: LiveForm): Promise<string> {
  const challenge = await createChallenge({
    algorithm: 'PBKDF2/SHA-256',
    cost: 1,
    keyPrefix: '0',
    deriveKey,
    hmacSignatureSecret: form.queue.vault.hash('form', 'challenge').toString('hex'),
    data: { token: newTimeToken(form, Date.now() - TOKEN_AGE_MS) },
  });
  const solution = await solveChallenge({ challenge, deriveKey });
  return Buffer.from(JSON.stringify({ challenge, solution })).toString('base64');
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
}
