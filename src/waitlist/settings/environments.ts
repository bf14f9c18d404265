import { type Trx, UniqueViolation } from '../../db/database.ts';
import { DoorlistError, invalid, notFound } from '../../lib/errors.ts';
import { randomCode } from '../../lib/ids.ts';
import { readColumn } from '../../lib/setting.ts';
import type { SealingKey } from '../../vault/crypto.ts';
import type { Keyring } from '../../vault/keyring.ts';
import { changeSettings } from '../queue/change-settings.ts';
import type { Context } from '../queue/context.ts';
import { isEnvironmentName, TAG_CHARACTERS } from '../queue/queue.ts';
import { WAITLIST_SETTINGS } from '../queue/waitlist-settings.ts';
import { startCounting } from '../statistics/metadata-keys.ts';

export interface Environment {
  name: string;
  createdAt: number;
}

/** Adds an environment to every waitlist. */
export async function createEnvironment(context: Context, name: string): Promise<Environment> {
  if (!isEnvironmentName(name))
    throw invalid('name: must be 1 to 32 characters of a-z, 0-9 and -, starting with a letter');
  const { keyring } = context;
  const now = context.clock();
  try {
    await changeSettings(context, async (trx, master) => {
      await trx.insertInto('environment').values({ name, created_at: now }).execute();
      for (const waitlist of await liveWaitlists(trx)) {
        const metadataKeys = readColumn(WAITLIST_SETTINGS.metadataKeys, waitlist);
        const queue = { waitlistId: waitlist.id, environment: name, metadataKeys, now };
        await insertQueue(trx, { keyring, master }, queue);
      }
      await context.audit?.(trx, {
        action: 'environment.created',
        object: { kind: 'environment', id: name, name },
      });
    });
  } catch (error) {
    if (error instanceof UniqueViolation) throw new DoorlistError('conflict', `name: ${name} already exists`);
    throw error;
  }
  return { name, createdAt: now };
}

function liveWaitlists(trx: Trx): Promise<{ id: number; metadata_keys: string }[]> {
  return trx.selectFrom('waitlist').select(['id', 'metadata_keys']).where('deleted_at', 'is', null).execute();
}

/** In the order in which they were created. */
export async function listEnvironments({ db }: Context): Promise<Environment[]> {
  const rows = await db.query
    .selectFrom('environment')
    .selectAll()
    .orderBy('created_at')
    .orderBy('name')
    .execute();
  return rows.map(({ name, created_at: createdAt }) => ({ name, createdAt }));
}

export async function requireEnvironment({ db }: Pick<Context, 'db'>, name: string): Promise<void> {
  // Skip what cannot be a name: PostgreSQL rejects NUL in text.
  const found =
    isEnvironmentName(name) &&
    (await db.query.selectFrom('environment').select('name').where('name', '=', name).executeTakeFirst());
  if (!found) throw notFound(`there is no environment ${name}`);
}

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
