import { createServer } from 'node:http';
import { readConfig } from '../src/config/config.ts';
import { openContext } from '../src/installation/open.ts';
import { newId, randomBytes } from '../src/lib/ids.ts';
import { createLogger } from '../src/lib/log.ts';
import { createWaitlist } from '../src/waitlist/settings/waitlists.ts';
import { GroupCommit } from '../src/waitlist/signup/group-commit.ts';

/**
 * The limit for signups: node:http, JSON, and group commit into the same tables and indexes, as durable. No keys,
 * nothing sealed or hashed, no rules, no counters.
 */
interface Joining {
  email: string;
  metadata?: Record<string, unknown>;
}

const BATCH = { least: 32, most: 32 };
const HASH_BYTES = 32;
const PERSON_OVERHEAD_BYTES = 100; // Of a sealed person, besides the email and the metadata.

const context = await openContext(readConfig(process.env), createLogger('silent'));
await createWaitlist(context, { id: 'wl_bare', name: 'Bare' });
const queue = await context.registry.queue('wl_bare', 'production');
if (!queue) throw new Error('no queue');
const queueId = queue.id;
let lastSeq = 0;

const group = new GroupCommit<Joining, undefined>({
  commit: async (_, people) => {
    const now = Date.now();
    const rows = people.map((person) => rowOf(person, now));
    const pairs = rows.flatMap(({ seq }, index) =>
      Object.keys(people[index]?.metadata ?? {}).map(() => ({
        ...{ queue_id: queueId, seq },
        pair_hash: randomBytes(HASH_BYTES),
      })),
    );
    await context.db.transaction(async (trx) => {
      trx.insert('entry', rows);
      if (pairs.length > 0) trx.insert('metadata_pair', pairs);
    });
    return people.map(() => undefined);
  },
  isolate: () => false,
  weigh: () => 1,
  batchWeight: BATCH,
  mostWaiting: 10_000,
  longestWaitMs: 10_000,
});

function rowOf({ email, metadata }: Joining, now: number) {
  lastSeq += 1;
  const personBytes = PERSON_OVERHEAD_BYTES + email.length + (metadata ? JSON.stringify(metadata).length : 0);
  return {
    ...{ queue_id: queueId, seq: lastSeq, rank: lastSeq, id: newId(now), status: 'waiting' as const },
    ...{
      referrals: 0,
      credited: 0,
      person: randomBytes(personBytes),
      email_hash: randomBytes(HASH_BYTES),
      created_at: now,
    },
  };
}

createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', async () => {
    if (request.method === 'POST') {
      const { entries } = JSON.parse(Buffer.concat(chunks).toString()) as { entries: Joining[] };
      await Promise.all(entries.map((entry) => group.submit(queueId, entry)));
    }
    const body = JSON.stringify({ success: true, created: 1, skipped: 0 });
    response.writeHead(200, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    });
    response.end(body);
  });
}).listen(Number(process.env.PORT), '127.0.0.1');
