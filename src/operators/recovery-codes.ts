import type { Trx } from '../db/database.ts';
import { randomCode } from '../ids.ts';
import type { OperatorContext } from './context.ts';

const CODES = 10;
const CHARACTERS = 16; // 80 bits: nobody guesses one.

/** Replaces the codes of that person; they are shown this once. */
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

/** As people copy them: with or without hyphens, in either case. */
export function normalizeRecoveryCode(text: string): string {
  return text.replace(/[\s-]/g, '').toLowerCase();
}
