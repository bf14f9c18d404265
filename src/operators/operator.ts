import type { Selectable } from 'kysely';
import type { OperatorTable } from '../db/tables.ts';
import { formatId } from '../lib/ids.ts';
import { readName } from '../lib/text.ts';
import { ifReadable } from '../vault/crypto.ts';
import type { OperatorContext } from './context.ts';
import type { Actor, Role } from './roles.ts';

export interface Profile {
  email: string;
  name: string;
}

export interface Operator extends Profile {
  id: string;
  role: Role;
  /** `invited` until the person has chosen a password. `damaged`: nobody can tell whose account it is. */
  state: 'invited' | 'active' | 'damaged';
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

/** For what can also be done with a damaged account, such as removing it. It has no name and no email. */
export function readAnyOperator(vault: OperatorContext['vault'], row: Selectable<OperatorTable>): Operator {
  return (
    ifReadable(() => readOperator(vault, row)) ?? {
      ...{ id: formatId('opr', row.id), email: '', name: '', role: row.role, state: 'damaged' },
      ...{ twoFactor: row.totp !== null, createdAt: row.created_at },
    }
  );
}

/** That person, as whoever does something. */
export function actorOf({ id, email, role }: Operator, address: string | null): Actor {
  return { kind: 'operator', id, name: email, role, address };
}

export function objectOf({ id, email }: Operator) {
  return { kind: 'operator' as const, id, name: email };
}

export function checkName(text: string, least: 0 | 1 = 1): string {
  return readName(text, { least, most: NAME_MAX_CHARACTERS });
}
