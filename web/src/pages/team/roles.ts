import { mayActAs, ROLES, type Role } from '../../api/me.ts';
import { capitalize } from '../../ui/capitalize.ts';
import type { Option } from '../../ui/select.tsx';

const ABOUT: Record<Role, string> = {
  owner: 'Everything.',
  admin: 'Everything except managing owners and deleting waitlists.',
  support: 'Sees people, invites them, and what the owner allows. No keys, secrets or exports.',
  viewer: 'Reads without personal data.',
};

/** The roles that somebody with this role may give. */
export function roleOptions(mine: Role): Option<Role>[] {
  return ROLES.filter((role) => mayActAs(mine, role)).map((role) => ({
    value: role,
    label: capitalize(role),
    about: ABOUT[role],
  }));
}
