import type { Database, Trx } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import { bytesKey } from '../lib/ids.ts';
import type { Message } from '../outbox/message.ts';
import type { Entry } from '../waitlist/entries/entry.ts';
import { countIfAllowed } from '../waitlist/forms/limits.ts';
import type { Queue } from '../waitlist/queue/queue.ts';
import type { QueueChange } from '../waitlist/queue/queue-change.ts';

const findMessage = statement<{ queueId: number; id: Uint8Array }, { id: Uint8Array }>((db, parameter) =>
  db.query
    .selectFrom('event')
    .select('id')
    .where('queue_id', '=', parameter('queueId'))
    .where('id', '=', parameter('id')),
);

/**
 * Whether a mailbox that somebody typed may get another mail. Anyone can refer people to an address that they typed
 * themselves, so these mails count like the form's own. A person's second one of the day is never sent, so it does not count.
 */
export function movedUpLimit(
  change: QueueChange,
): (message: Message, mailbox: Uint8Array) => Promise<boolean> {
  const { trx, queue } = change;
  const composed = new Set<string>();
  return async ({ id }, mailbox) => {
    const name = bytesKey(id);
    if (composed.has(name)) return false;
    composed.add(name);
    const [recorded] = await trx.run(findMessage, { queueId: queue.id, id });
    return !recorded && countIfAllowed(change, mailbox);
  };
}

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
