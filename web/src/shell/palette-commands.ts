import { LayoutList, ListOrdered, Plus, User, UserSearch } from 'lucide-react';
import type { ComponentType } from 'react';
import type { Role } from '../api/me.ts';
import type { Waitlist } from '../api/waitlists.ts';
import { stringifySearch } from '../search.ts';
import { INSTANCE_PAGES, WAITLIST_PAGES } from './navigation.ts';
import { environmentSearch, type Scope } from './waitlist-scope.ts';

export interface Command {
  group: string;
  label: string;
  about?: string;
  /** More words that find it. */
  words?: string | undefined;
  icon: ComponentType<{ className?: string }>;
  href: string;
}

interface Surroundings {
  scope: Scope | undefined;
  waitlists: readonly Pick<Waitlist, 'id' | 'name'>[];
  may: (role: Role) => boolean;
}

export function commandsFor({ scope, waitlists, may }: Surroundings): Command[] {
  const search = scope ? stringifySearch(environmentSearch(scope.environment)) : '';
  const pages = scope
    ? WAITLIST_PAGES.filter(({ role }) => may(role)).map(({ to, label, icon, words }) => ({
        group: 'This waitlist',
        label,
        words,
        icon,
        href: `${to.replace('$waitlistId', scope.waitlistId)}${search}`,
      }))
    : [];
  return [
    ...pages,
    ...waitlists.map(({ id, name }) => ({
      group: 'Waitlists',
      label: name,
      about: id,
      icon: ListOrdered,
      href: `/waitlists/${id}${search}`,
    })),
    { group: 'Go to', label: 'All waitlists', icon: LayoutList, href: '/waitlists' },
    ...(may('admin')
      ? [
          {
            group: 'Go to',
            label: 'Create a waitlist',
            icon: Plus,
            href: '/waitlists?create=1',
            words: 'new add',
          },
        ]
      : []),
    ...INSTANCE_PAGES.filter(({ role }) => may(role)).map(({ to, label, icon, words }) => ({
      group: 'Go to',
      label,
      words,
      icon,
      href: to,
    })),
    {
      group: 'Go to',
      label: 'Your account',
      icon: User,
      href: '/account',
      words: 'password passkey sessions two-factor',
    },
  ];
}

/** What looks like a whole email or phone is looked up in the queue. */
export function personSearch(text: string, { waitlistId, environment }: Scope): Command[] {
  const person = text.trim();
  if (!/^\S+@\S+\.\S+$/.test(person) && !/^\+[\d ().-]{7,}$/.test(person)) return [];
  const search = stringifySearch({ ...environmentSearch(environment), search: person });
  return [
    {
      group: 'People',
      label: `Find ${person}`,
      about: waitlistId,
      icon: UserSearch,
      href: `/waitlists/${waitlistId}/queue${search}`,
    },
  ];
}
