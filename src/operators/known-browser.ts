import { formatId } from '../lib/ids.ts';
import type { OperatorContext } from './context.ts';
import { knownDevice } from './devices.ts';

/** The operator who has signed in with this browser before, by the mark that it keeps. */
export async function operatorOfDevice(
  { db, vault }: OperatorContext,
  device: string | undefined,
): Promise<string | undefined> {
  if (device === undefined) return undefined;
  const rows = await db.query.selectFrom('operator').select(['id', 'email_hash', 'password']).execute();
  const row = rows.find((each) => knownDevice(vault, each, device));
  return row && formatId('opr', row.id);
}
