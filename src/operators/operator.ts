import type { Selectable } from 'kysely';
import type { OperatorTable } from '../db/tables.ts';
import { type Email, parseEmail } from '../lib/email.ts';
import { invalid } from '../lib/errors.ts';
import { formatId } from '../lib/ids.ts';
import { readName } from '../lib/name.ts';
import type { OperatorContext } from './context.ts';
import type { Role } from './roles.ts';

export interface Profile {
  email: string;
  name: string;
}

export interface Operator extends Profile {
  id: string;
  role: Role;
  /** `invited` until the person has chosen a password. */
  state: 'invited' | 'active';
  twoFactor: boolean;
  createdAt: number;
}

const NAME_MAX_CHARACTERS = 100;

export function readOperator(
  vault: OperatorContext['vault'],
  { id, profile, role, password, totp, created_at }: Selectable<OperatorTable>,
): Operator {
  return {
    id: formatId('opr', id),
    ...vault.open<Profile>('operator.profile', id, profile),
    role,
    state: password === null ? 'invited' : 'active',
    twoFactor: totp !== null,
    createdAt: created_at,
  };
}

export function objectOf({ id, email }: Operator) {
  return { kind: 'operator' as const, id, name: email };
}

export function requireEmail(text: string): Email {
  const email = parseEmail(text);
  if (!email) throw invalid('email: not an email address');
  return email;
}

export function checkName(text: string, least: 0 | 1 = 1): string {
  return readName(text, { least, most: NAME_MAX_CHARACTERS });
}
