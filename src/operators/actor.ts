import type { Role } from './roles.ts';

/** Who does something: a signed-in person, a token, or whoever has the command line of the machine. */
export interface Actor {
  readonly kind: 'operator' | 'token' | 'command-line';
  /** Public id; null for the command line, which has none. */
  readonly id: string | null;
  /** Email of a person, name of a token. */
  readonly name: string | null;
  readonly role: Role;
  /** Where the request came from. */
  readonly address: string | null;
}

export const COMMAND_LINE: Actor = {
  kind: 'command-line',
  id: null,
  name: null,
  role: 'owner',
  address: null,
};
