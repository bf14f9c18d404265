import { parseId } from '../../lib/ids.ts';
import { openVisit } from '../forms/visit-token.ts';
import { type LinkPurpose, readLink } from '../links/links.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/queue.ts';

const PURPOSES: readonly LinkPurpose[] = ['confirm', 'leave', 'status'];
/** More parts than any link has that leads to a person. */
const PARTS_MAX = 20;

/** What of a link can say whom it is for: first the values of its query, then its path, the end first. */
export function partsOfLink(text: string): string[] | undefined {
  const url = /^https?:\/\/\S+$/i.test(text) ? URL.parse(text) : null;
  if (!url) return undefined;
  const values = [...url.searchParams].filter(([name]) => !name.startsWith('utm_')).map(([, value]) => value);
  const path = url.pathname.split('/').filter(Boolean).reverse().map(decoded);
  return [...values, ...path].filter((part) => part !== '').slice(0, PARTS_MAX);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The joining sequence of the entry that a token in one of our links, or an invite code, is for. */
export async function seqOfToken(context: Context, queue: Queue, token: string): Promise<number | undefined> {
  if (!token.startsWith(queue.tag)) return undefined;
  const subject = PURPOSES.map((purpose) => readLink(queue, purpose, token)).find(Boolean);
  if (subject) {
    const entryId = parseId('ent', subject.id);
    const inviteId = parseId('inv', subject.id);
    return entryId
      ? seqOfEntry(context, queue, entryId)
      : inviteId && seqOfInvited(context, queue, 'id', inviteId);
  }
  return (
    openVisit(queue, token)?.seq ??
    seqOfInvited(context, queue, 'code_hash', queue.vault.hash('invite', token))
  );
}

async function seqOfEntry({ db }: Context, queue: Queue, id: Uint8Array): Promise<number | undefined> {
  const row = await db.query
    .selectFrom('entry')
    .select('seq')
    .where('queue_id', '=', queue.id)
    .where('id', '=', id)
    .executeTakeFirst();
  return row?.seq;
}

async function seqOfInvited(
  { db }: Context,
  queue: Queue,
  column: 'id' | 'code_hash',
  value: Uint8Array,
): Promise<number | undefined> {
  const row = await db.query
    .selectFrom('invite as i')
    .innerJoin('entry as e', (join) =>
      join.onRef('e.queue_id', '=', 'i.queue_id').onRef('e.email_hash', '=', 'i.email_hash'),
    )
    .select('e.seq')
    .where('i.queue_id', '=', queue.id)
    .where(`i.${column}`, '=', value)
    .executeTakeFirst();
  return row?.seq;
}
