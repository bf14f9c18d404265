import type { Role } from './roles.ts';

/**
 * Who does something: a signed-in operator, a token, a user of the command line, the server itself, or
 * somebody who is not signed in.
 */
export interface Actor {
  readonly kind: 'operator' | 'token' | 'command-line' | 'server' | 'anonymous';
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

/** As stored with what an actor did: `operator:opr_…`, or only the kind. */
export function referenceTo({ kind, id }: Actor): string {
  return id === null ? kind : `${kind}:${id}`;
}
