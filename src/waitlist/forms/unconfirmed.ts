import type { Database, Trx } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import type { Entry } from '../entries/entry.ts';
import type { Queue } from '../queue/queue.ts';

interface FoundRow {
  seq: number;
  email_hash: Uint8Array | null;
  mailbox_hash: Uint8Array | null;
}

const findUnconfirmed = statement<{ queueId: number; seqs: readonly number[] }, FoundRow>((db, parameter) =>
  db.query
    .selectFrom('entry as e')
    .leftJoin('operator_confirmation as c', (join) =>
      join.on('c.queue_id', '=', parameter('queueId')).onRef('c.seq', '=', 'e.seq'),
    )
    .select(['e.seq', 'e.email_hash', 'e.mailbox_hash'])
    .where('e.queue_id', '=', parameter('queueId'))
    .where((e) => db.in(e.ref('e.seq'), parameter('seqs')))
    .where((e) => e.or([e('e.confirmed_at', 'is', null), e('c.seq', 'is not', null)])),
);

/**
 * Those who came through the form and did not confirm their email themselves, with their mailbox: a stranger may have
 * typed all that is known about them. Neither a word of an operator nor an accepted invite proves the contrary, because
 * the gate redeems invites without their code.
 */
export async function mailboxesOfUnconfirmed(
  executor: Database | Trx,
  queue: Queue,
  entries: Iterable<Entry>,
): Promise<ReadonlyMap<number, Uint8Array>> {
  const seqs = [...entries].filter(({ byForm }) => byForm).map(({ seq }) => seq);
  if (seqs.length === 0) return new Map();
  const rows = await executor.run(findUnconfirmed, { queueId: queue.id, seqs });
  return new Map(
    rows.flatMap(({ seq, email_hash, mailbox_hash }) => {
      const mailbox = mailbox_hash ?? email_hash;
      return mailbox ? [[seq, mailbox] as const] : [];
    }),
  );
}
