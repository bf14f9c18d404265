import { ROLES, type Role } from '../db/tables.ts';
import { DoorlistError, invalid } from '../lib/errors.ts';

/**
 * Who does something: a signed-in operator, a token, a user of the command line, the server itself, a person on a
 * waitlist with their own data, or somebody who is not signed in.
 */
export interface Actor {
  readonly kind: 'operator' | 'token' | 'command-line' | 'server' | 'person' | 'anonymous';
  /** Public id of an operator or a token. */
  readonly id: string | null;
  /** The email of an operator, or the name of a token. */
  readonly name: string | null;
  readonly role: Role;
  /** The client address of the request. */
  readonly address: string | null;
}

export const COMMAND_LINE: Actor = {
  kind: 'command-line',
  id: null,
  name: null,
  role: 'owner',
  address: null,
};

/** For what upkeep does by itself. */
export const SERVER: Actor = { ...COMMAND_LINE, kind: 'server' };

/** Whoever has the link that was emailed to them. What it was done to says who. */
export const PERSON: Actor = { ...COMMAND_LINE, kind: 'person', role: 'viewer' };

/** As stored with what an actor did: `operator:opr_…`, or only the kind. */
export function referenceTo({ kind, id }: Actor): string {
  return id === null ? kind : `${kind}:${id}`;
}

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
