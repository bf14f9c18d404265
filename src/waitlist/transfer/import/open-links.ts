import { sql } from 'kysely';
import type { Context } from '../../queue/context.ts';
import type { ImportJob } from './import-candidate.ts';

/** An imported entry whose referrer had not been imported yet. */
export interface OpenLink {
  seq: number;
  id: Uint8Array;
  mailbox: Uint8Array | null;
  /** null if there is no such person. */
  referrer: number | null;
}

/** Reads the remaining links and resolves them, now that all rows are imported. */
export async function readOpenLinks(
  { db }: Context,
  { id, queue }: ImportJob,
  after: number,
  limit: number,
): Promise<OpenLink[]> {
  const { rows } = await sql<OpenLink>`
    select l.seq as seq, r.id as id, coalesce(r.mailbox_hash, r.email_hash) as mailbox, coalesce(c.seq, e.seq, p.seq) as referrer
    from import_link as l
    inner join entry as r on r.queue_id = l.queue_id and r.seq = l.seq
    left join import_code as c on l.kind = 'code'
      and c.queue_id = l.queue_id and c.job_id = l.job_id and c.code_hash = l.hash
    left join entry as e on l.kind = 'email' and e.queue_id = l.queue_id and e.email_hash = l.hash
    left join entry as p on l.kind = 'phone' and p.queue_id = l.queue_id and p.phone_hash = l.hash
    where l.queue_id = ${queue.id} and l.job_id = ${id} and l.seq > ${after}
    order by l.seq limit ${limit}`.execute(db.query);
  return rows;
}
