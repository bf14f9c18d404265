import type { Database, Trx } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import type { EntryTable } from '../../db/tables.ts';
import type { Queue } from '../queue/directory.ts';

type Holder = Pick<EntryTable, 'seq' | 'status' | 'rank' | 'referrals' | 'email_hash' | 'phone_hash'>;
type AliasRow = Holder & { code_hash: Uint8Array };

const findByAlias = statement<{ queueId: number; hashes: unknown }, AliasRow>((db, parameter) =>
  db.query
    .selectFrom('referral_alias as a')
    .innerJoin('entry as e', (join) =>
      join.onRef('e.queue_id', '=', 'a.queue_id').onRef('e.seq', '=', 'a.seq'),
    )
    .select(['a.code_hash', 'e.seq', 'e.status', 'e.rank', 'e.referrals', 'e.email_hash', 'e.phone_hash'])
    .where('a.queue_id', '=', parameter('queueId'))
    .where((e) => db.inBytes(e.ref('a.code_hash'), parameter('hashes'))),
);

/** Codes of other systems are kept as they were spelled there: to some of those systems, case matters. */
export function aliasHash({ vault }: Queue, code: string): Buffer {
  return vault.hash('import', code);
}

/** Whom codes that are not ours lead to. */
export async function findAliases(
  db: Database,
  trx: Trx,
  queue: Queue,
  codes: readonly string[],
): Promise<Map<string, Holder>> {
  const byHash = new Map(codes.map((code) => [aliasHash(queue, code).toString('latin1'), code]));
  const hashes = [...byHash.keys()].map((hash) => Buffer.from(hash, 'latin1'));
  const rows = await findByAlias.within(db, trx, { queueId: queue.id, hashes: db.bytesList(hashes) });
  return new Map(
    rows.map(({ code_hash, ...row }) => [byHash.get(Buffer.from(code_hash).toString('latin1')) ?? '', row]),
  );
}
