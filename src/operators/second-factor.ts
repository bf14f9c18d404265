import type { Selectable } from 'kysely';
import { verifySync } from 'otplib';
import type { Trx } from '../db/database.ts';
import type { OperatorTable } from '../db/tables.ts';
import { randomCode } from '../lib/ids.ts';
import { recordAudit } from './audit.ts';
import type { OperatorContext } from './context.ts';
import type { Actor } from './roles.ts';

const STEP_SECONDS = 30;

/** Accepts a code of the app or a recovery code. Each works once, even with concurrent requests. */
export async function useSecondFactor(
  context: OperatorContext,
  trx: Trx,
  row: Selectable<OperatorTable>,
  code: string,
  actor: Actor,
  now: number,
): Promise<boolean> {
  if (/^[0-9]{6}$/.test(code.replaceAll(' ', ''))) {
    return row.totp !== null && useTotp(context, trx, row, row.totp, code.replaceAll(' ', ''), now);
  }
  const { numDeletedRows } = await trx
    .deleteFrom('recovery_code')
    .where('operator_id', '=', row.id)
    .where('code_hash', '=', context.vault.hash('recovery', normalizeRecoveryCode(code)))
    .executeTakeFirst();
  if (numDeletedRows === 0n) return false;
  await recordAudit(context, trx, actor, { action: 'recovery_code.used' }, now);
  return true;
}

/** Stores the time step of the code, so that it and all earlier ones are used up. */
export async function useTotp(
  { vault }: OperatorContext,
  trx: Trx,
  { id }: Pick<Selectable<OperatorTable>, 'id'>,
  sealed: Uint8Array,
  token: string,
  now: number,
): Promise<boolean> {
  const secret = vault.open<string>('operator.totp', id, sealed);
  const epoch = Math.floor(now / 1_000);
  // A clock may be off by one step in either direction.
  const result = verifySync({ secret, token, epoch, period: STEP_SECONDS, epochTolerance: STEP_SECONDS });
  if (!result.valid) return false;
  const step = Math.floor(epoch / STEP_SECONDS) + result.delta;
  const { numUpdatedRows } = await trx
    .updateTable('operator')
    .set({ totp_step: step })
    .where('id', '=', id)
    .where('totp_step', '<', step)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

const CODES = 10;
const CHARACTERS = 16; // 80 bits, which cannot be guessed.

/** Replaces a person's codes. They are shown only once. */
export async function replaceRecoveryCodes(
  { vault }: OperatorContext,
  trx: Trx,
  operatorId: Uint8Array,
): Promise<string[]> {
  const codes = Array.from({ length: CODES }, () => randomCode(CHARACTERS));
  await trx.deleteFrom('recovery_code').where('operator_id', '=', operatorId).execute();
  await trx
    .insertInto('recovery_code')
    .values(codes.map((code) => ({ operator_id: operatorId, code_hash: vault.hash('recovery', code) })))
    .execute();
  return codes.map((code) => code.replace(/(.{4})(?=.)/g, '$1-'));
}

/** Accepts codes as people copy them: with or without hyphens, in upper or lower case. */
function normalizeRecoveryCode(text: string): string {
  return text.replace(/[\s-]/g, '').toLowerCase();
}
