import type { Trx } from '../db/database.ts';
import { randomCode } from '../lib/ids.ts';
import type { OperatorContext } from './context.ts';

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
export function normalizeRecoveryCode(text: string): string {
  return text.replace(/[\s-]/g, '').toLowerCase();
}
