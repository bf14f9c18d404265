import type { Database } from '../../db/database.ts';
import { sharedNow } from '../../db/shared-clock.ts';
import type { Tables } from '../../db/tables.ts';
import { changeSettings } from '../queue/change-settings.ts';
import type { Context } from '../queue/context.ts';
import { currentMasterKey } from './instance.ts';

/** What only an operator knows: that backups are made in another way, or that a copy of the master key is kept. */
type Confirmable = Tables['health_confirmation']['name'];

/** When it was confirmed, if it was. A confirmation about another master key does not count. */
export async function readConfirmation(
  context: Pick<Context, 'db' | 'keyring'>,
  name: Confirmable,
): Promise<number | undefined> {
  const row = await context.db.query
    .selectFrom('health_confirmation')
    .select(['key_id', 'confirmed_at'])
    .where('name', '=', name)
    .executeTakeFirst();
  if (row?.key_id && !(await currentMasterKey(context)).id.equals(row.key_id)) return undefined;
  return row?.confirmed_at;
}

export async function setConfirmation(
  context: Context,
  name: Confirmable,
  confirmed: boolean,
): Promise<void> {
  const key = name === 'master key' ? await currentMasterKey(context) : undefined;
  await changeSettings(context, async (trx) => {
    const before = await trx
      .deleteFrom('health_confirmation')
      .where('name', '=', name)
      .returning('confirmed_at')
      .executeTakeFirst();
    if (confirmed) {
      const row = { name, key_id: key?.id ?? null, confirmed_at: await sharedNow(context, trx) };
      await trx.insertInto('health_confirmation').values(row).execute();
    }
    const field = name === 'backup' ? 'backedUpElsewhere' : 'masterKeyCopyKept';
    await context.audit?.(trx, {
      action: 'instance.updated',
      object: { kind: 'instance', id: 'instance' },
      before: { [field]: before !== undefined },
      after: { [field]: confirmed },
    });
  });
}

export async function rememberBackup(db: Database, at: number): Promise<void> {
  await db.query.updateTable('instance').set({ backup_at: at }).execute();
}
