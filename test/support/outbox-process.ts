import { readConfig } from '../../src/config/config.ts';
import { openContext } from '../../src/installation/open.ts';
import { startOutbox } from '../../src/installation/start-outbox.ts';
import { createLogger } from '../../src/lib/log.ts';
import type { Context } from '../../src/waitlist/queue/context.ts';
import { openSignups } from '../../src/waitlist/signup/signup.ts';
import { parseSignupRequest } from '../../src/waitlist/signup/signup-input.ts';

/**
 * Runs as a separate process, to be killed: `dispatch LEASE_MS DEADLINE_MS`, or a signup that dies `before WAITLIST`
 * or `after WAITLIST`: before or after its commit.
 */
const [mode = '', ...operands] = process.argv.slice(2);
const config = readConfig(process.env);
const context = await openContext(config, createLogger('silent'));

if (mode === 'dispatch') {
  const [leaseMs, deadlineMs] = operands.map(Number) as [number, number];
  const outbox = await startOutbox(context, config, { leaseMs, deadlineMs, pollMs: 100 });
  process.once('SIGTERM', async () => {
    await outbox.stop();
    await context.db.close();
  });
  process.stdout.write('ready\n');
} else {
  const [waitlistId = ''] = operands;
  const queue = await context.registry.queue(waitlistId, 'production');
  if (!queue) throw new Error('there is no such waitlist');
  const { entries } = parseSignupRequest({ waitlistId, entries: [{ email: 'ada@example.com' }] });
  await openSignups(dying(mode), 1_000).submit(queue, entries);
}

function dying(when: string): Context {
  const { db } = context;
  const die = () => {
    process.kill(process.pid, 'SIGKILL');
    return new Promise<never>(() => {});
  };
  const transaction: typeof db.transaction = async (work) => {
    const result = await db.transaction(async (trx) => {
      const done = await work(trx);
      // All sent statements have been executed.
      await trx.selectFrom('event').select('id').limit(1).execute();
      return when === 'before' ? die() : done;
    });
    return when === 'after' ? die() : result;
  };
  return { ...context, db: { ...db, transaction } };
}
