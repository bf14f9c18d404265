import { ROLES, type Role } from '../db/tables.ts';
import { DoorlistError, invalid } from '../lib/errors.ts';

export { ROLES, type Role };

/** Each role includes those before it in `ROLES`. */
export function mayActAs(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}

export function parseRole(text: string): Role {
  const role = ROLES.find((each) => each === text);
  if (role) return role;
  throw invalid(`role: must be one of ${ROLES.toReversed().join(', ')}`);
}

/** Nobody can grant or revoke a role above their own. */
export function requireRank(role: Role, ...others: Role[]): void {
  const higher = others.find((other) => !mayActAs(role, other));
  if (higher === undefined) return;
  throw new DoorlistError('forbidden', `role: ${article(role)} cannot manage ${article(higher)}`);
}

function article(role: Role): string {
  return /^[ao]/.test(role) ? `an ${role}` : `a ${role}`;
}
