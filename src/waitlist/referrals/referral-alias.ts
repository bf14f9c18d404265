import type { Selectable } from 'kysely';
import type { Database } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import type { EntryTable } from '../../db/tables.ts';
import { bytesKey } from '../../lib/ids.ts';
import type { Queue } from '../queue/queue.ts';
import type { QueueChange } from '../queue/queue-change.ts';

export const findByAlias = statement<
  { queueId: number; hashes: readonly Buffer[] },
  FoundRow & { code_hash: Uint8Array }
>((db, parameter) =>
  db.query
    .selectFrom('referral_alias as a')
    .innerJoin('entry as e', (join) =>
      join.onRef('e.queue_id', '=', 'a.queue_id').onRef('e.seq', '=', 'a.seq'),
    )
    .select(['a.code_hash', ...MEMBER_COLUMNS.map((column) => `e.${column}` as const)])
    .where('a.queue_id', '=', parameter('queueId'))
    .where((e) => db.in(e.ref('a.code_hash'), parameter('hashes'))),
);

/** Codes from other systems keep their spelling, because some of those systems are case-sensitive. */
export function aliasHash({ vault }: Queue, code: string): Buffer {
  return vault.hash('import', code);
}

/** Finds the entries that codes from other systems belong to. */
export async function findAliases(
  db: Pick<Database, 'run'>,
  queue: Queue,
  codes: readonly string[],
): Promise<Map<string, FoundRow>> {
  const hashed = codes.map((code) => ({ code, hash: aliasHash(queue, code) }));
  const hashes = hashed.map(({ hash }) => hash);
  const rows = await db.run(findByAlias, { queueId: queue.id, hashes });
  const codeOf = new Map(hashed.map(({ code, hash }) => [bytesKey(hash), code]));
  return new Map(rows.map(({ code_hash, ...row }) => [codeOf.get(bytesKey(code_hash)) ?? '', row]));
}

interface AliasesOfEntry {
  /** That it was imported with, if it is the one who kept it. */
  code: string | null;
  /** Others, of which only a hash is stored. */
  others: number;
}

/** The codes from other systems that lead to an entry. */
export async function aliasesOf(
  { query }: Pick<Database, 'query'>,
  queue: Queue,
  { seq, importedCode }: { seq: number; importedCode: string | null },
): Promise<AliasesOfEntry> {
  const rows = await query
    .selectFrom('referral_alias')
    .select('code_hash')
    .where('queue_id', '=', queue.id)
    .where('seq', '=', seq)
    .execute();
  const own = importedCode === null ? undefined : aliasHash(queue, importedCode);
  const isHeld = own !== undefined && rows.some(({ code_hash }) => own.equals(code_hash));
  return { code: isHeld ? importedCode : null, others: rows.length - (isHeld ? 1 : 0) };
}

/** The first entry with a code keeps it. */
export function writeAliases(
  { trx, queue }: QueueChange,
  aliases: readonly { hash: Buffer; seq: number }[],
): void {
  const rows = aliases.map(({ hash, seq }) => ({ queue_id: queue.id, code_hash: hash, seq }));
  trx.insert('referral_alias', rows, { onConflict: 'ignore' });
}

export async function forgetAliases({ trx, queue }: QueueChange, seq: number): Promise<void> {
  await trx.deleteFrom('referral_alias').where('queue_id', '=', queue.id).where('seq', '=', seq).execute();
}

export const MEMBER_COLUMNS = [
  ...(['seq', 'closed', 'opened', 'referrals', 'advanced', 'moved', 'status', 'rank', 'depth'] as const),
  ...(['email_hash', 'phone_hash', 'mailbox_hash'] as const),
] as const;
export type FoundRow = Pick<Selectable<EntryTable>, (typeof MEMBER_COLUMNS)[number]>;
