import { ROLES, type Role } from '../db/tables.ts';
import { DoorlistError, invalid } from '../errors.ts';

export { ROLES, type Role };

/** Each role may do what those before it in `ROLES` may. */
export function mayActAs(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}

export function parseRole(text: string): Role {
  const role = ROLES.find((each) => each === text);
  if (role) return role;
  throw invalid(`role: must be one of ${ROLES.toReversed().join(', ')}`);
}

/** Nobody hands out, or takes from somebody, more than they have. */
export function requireRank(role: Role, ...others: Role[]): void {
  const higher = others.find((other) => !mayActAs(role, other));
  if (higher === undefined) return;
  throw new DoorlistError('forbidden', `role: ${article(role)} cannot manage ${article(higher)}`);
}

function article(role: Role): string {
  return /^[ao]/.test(role) ? `an ${role}` : `a ${role}`;
}
