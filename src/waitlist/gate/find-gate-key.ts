import { hasChecksum, newSecret } from '../keys/server-key-format.ts';
import type { Context } from '../queue/context.ts';
import { type Queue, TAG_CHARACTERS } from '../queue/queue.ts';

const PREFIX = 'dlg_';
const SHAPE = new RegExp(`^${PREFIX}[0-9a-z]{${TAG_CHARACTERS}}[0-9A-Za-z]{34}$`);

/** A key that asks whether people may sign up. It names its queue, and can do nothing else. */
export interface GateKey {
  readonly id: Uint8Array;
  readonly queue: Queue;
  /** What the provider signs its requests with. null for providers that do not sign. */
  readonly secret: string | null;
}

export function newGateKey({ tag }: Queue): string {
  return newSecret(PREFIX + tag);
}

/** As it is stored. */
export function hashOfGateKey({ vault }: Queue, key: string): Buffer {
  return vault.hash('gate', key);
}

/** Returns undefined if the key does not exist or was deleted. */
export function findGateKey(context: Context, text: string): Promise<GateKey | undefined> {
  return context.registry.cached('gate', text, () => readGateKey(context, text));
}

async function readGateKey({ db, registry }: Context, text: string): Promise<GateKey | undefined> {
  if (!SHAPE.test(text) || !hasChecksum(text)) return undefined; // Saves the lookup.
  const queue = await registry.queueByTag(text.slice(PREFIX.length, PREFIX.length + TAG_CHARACTERS));
  if (!queue) return undefined;
  const row = await db.query
    .selectFrom('gate_key')
    .select(['id', 'secret'])
    .where('queue_id', '=', queue.id)
    .where('hash', '=', hashOfGateKey(queue, text))
    .executeTakeFirst();
  if (!row) return undefined;
  const secret = row.secret && queue.vault.open<string>('gate_key.secret', row.id, row.secret);
  return { id: row.id, queue, secret };
}
