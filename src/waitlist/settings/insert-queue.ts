import type { Trx } from '../../db/database.ts';
import { randomCode } from '../../lib/ids.ts';
import type { SealingKey } from '../../vault/crypto.ts';
import type { Keyring } from '../../vault/keyring.ts';
import { TAG_CHARACTERS } from '../queue/queue.ts';
import { startCounting } from '../statistics/metadata-keys.ts';

interface NewQueue {
  waitlistId: number;
  environment: string;
  metadataKeys: readonly string[];
  now: number;
}

/** One waitlist in one environment, with keys of its own. Call it in a change of settings, which run one after the other. */
export async function insertQueue(
  trx: Trx,
  { keyring, master }: { keyring: Keyring; master: SealingKey },
  { waitlistId, environment, metadataKeys, now }: NewQueue,
  newTag: () => string = () => randomCode(TAG_CHARACTERS),
): Promise<void> {
  const tag = await freeTag(trx, newTag);
  const { id } = await trx
    .insertInto('queue')
    .values({
      waitlist_id: waitlistId,
      environment,
      code_tag: tag,
      wrapped_keys: keyring.wrapNewKeys(master, tag),
      created_at: now,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  trx.insert('queue_state', [{ queue_id: id }]);
  startCounting(trx, id, metadataKeys);
}

/** Of thousands of queues, two are likely to meet sooner or later. */
async function freeTag(trx: Trx, newTag: () => string): Promise<string> {
  for (;;) {
    const tag = newTag();
    const holder = await trx.selectFrom('queue').select('id').where('code_tag', '=', tag).executeTakeFirst();
    if (!holder) return tag;
  }
}
