import type { Distribution } from '../db/cluster.ts';
import { requireCurrentSchema } from '../db/migrate.ts';
import { openExistingDatabase } from '../installation/open.ts';
import { createLogger } from '../lib/log.ts';
import { type Command, textOr, UsageProblem } from './command.ts';

/** As many as Citus makes by itself. */
const SHARDS_MAX = 64_000;

export const distribute: Command[] = [
  {
    name: 'distribute',
    about:
      'Spread the queues over the workers of a Citus cluster. It refuses while servers are connected, and can be run again.',
    flags: {
      shards: { value: 'NUMBER', about: 'Into how many parts, at least one per worker. Default: 32.' },
    },
    raw: async (config, _operands, flags) => {
      const shards = shardsOf(textOr(flags, 'shards', undefined));
      const db = await openExistingDatabase({ ...config, databasePool: 1 }, createLogger('silent'));
      try {
        await requireCurrentSchema(db);
        const done = await db.unlimited.transaction(
          async (trx) => {
            await db.lockSchema(trx);
            return db.distribute(trx, shards);
          },
          { repeatable: false },
        );
        const workers = (await db.clusterWorkers()) ?? [];
        const lines = workers.map(
          ({ name, queues }) => `${name}: ${queues} ${queues === 1 ? 'queue' : 'queues'}`,
        );
        return { json: { ...done, workers }, text: [inWords(done), ...lines].join('\n') };
      } finally {
        await db.close();
      }
    },
  },
];

function shardsOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const shards = Number(text);
  if (!Number.isInteger(shards) || shards < 1 || shards > SHARDS_MAX)
    throw new UsageProblem(`--shards: must be a whole number from 1 to ${SHARDS_MAX}`);
  return shards;
}

function inWords({ copied, spread, dropped }: Distribution): string {
  if (copied.length + spread.length === 0) return 'All tables were distributed already.';
  const parts = [
    `Spread ${spread.length} tables by queue.`,
    ...(copied.length > 0 ? [`Copied to every node: ${copied.join(', ')}.`] : []),
    ...(dropped.length > 0 ? [`Dropped ${dropped.length} constraints that reach over several shards.`] : []),
  ];
  return parts.join(' ');
}
