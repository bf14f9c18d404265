import {
  Download,
  LayoutList,
  ListChecks,
  ListOrdered,
  LogOut,
  Monitor,
  Moon,
  Plus,
  Send,
  Sun,
  User,
  UserSearch,
} from 'lucide-react';
import type { ComponentType } from 'react';
import type { Schemas } from '../api/client.ts';
import { nameOf } from '../api/entries.ts';
import type { Role } from '../api/me.ts';
import type { Waitlist } from '../api/waitlists.ts';
import { stringifySearch } from '../search.ts';
import { setTheme, type Theme } from '../theme.ts';
import { toastError } from '../ui/toast.tsx';
import { INSTANCE_PAGES, WAITLIST_PAGES } from './navigation.ts';
import { signOut } from './sign-out.ts';
import { environmentSearch, type Scope } from './waitlist-scope.ts';

/** The group of waitlists. */
export const WAITLISTS = 'Waitlists';

export interface Command {
  group: string;
  label: string;
  about?: string | undefined;
  /** More words that find it. */
  words?: string | undefined;
  icon: ComponentType<{ className?: string }>;
  /** Where it leads, or what it does. */
  act: string | (() => void);
  /** Whom the page that it leads to looks for. */
  find?: string;
}

interface Surroundings {
  scope: Scope | undefined;
  /** Name of the waitlist of the scope. */
  name: string | undefined;
  waitlists: readonly Pick<Waitlist, 'id' | 'name'>[];
  theme: Theme;
  may: (role: Role) => boolean;
}

export function commandsFor({ scope, name, waitlists, theme, may }: Surroundings): Command[] {
  const search = scope ? stringifySearch(environmentSearch(scope.environment)) : '';
  const pages = scope
    ? WAITLIST_PAGES.filter(({ role }) => may(role)).map(({ to, label, icon, words }) => ({
        group: name === undefined ? 'This waitlist' : `Pages of ${name}`,
        label,
        words,
        icon,
        act: `${to.replace('$waitlistId', scope.waitlistId)}${search}`,
      }))
    : [];
  return [
    ...pages,
    ...(scope ? actionsOn(scope, name, may) : []),
    ...themeActions(theme),
    {
      group: 'Actions',
      label: 'Sign out',
      icon: LogOut,
      words: 'log out leave',
      act: () => void signOut().catch(toastError),
    },
    ...waitlists.map(({ id, name: label }) => ({
      group: WAITLISTS,
      label,
      about: id,
      icon: ListOrdered,
      act: `/waitlists/${id}${search}`,
    })),
    { group: 'Go to', label: 'All waitlists', icon: LayoutList, act: '/waitlists' },
    ...(may('admin')
      ? [
          {
            group: 'Go to',
            label: 'Create a waitlist',
            icon: Plus,
            act: '/waitlists?create=1',
            words: 'new add',
          },
        ]
      : []),
    ...INSTANCE_PAGES.filter(({ role }) => may(role)).map(({ to, label, icon, words }) => ({
      group: 'Go to',
      label,
      words,
      icon,
      act: to,
    })),
    {
      group: 'Go to',
      label: 'Your account',
      icon: User,
      act: '/account',
      words: 'password passkey sessions two-factor',
    },
  ];
}

function actionsOn(
  { waitlistId, environment }: Scope,
  name: string | undefined,
  may: Surroundings['may'],
): Command[] {
  const about = [name, ...(environmentSearch(environment).environment ? [environment] : [])].join(' · ');
  const to = (page: string, search: Record<string, string>) =>
    `/waitlists/${waitlistId}/${page}${stringifySearch({ ...environmentSearch(environment), ...search })}`;
  const group = 'Actions';
  return [
    ...(may('support')
      ? [
          { group, label: 'Invite people', about, icon: Send, act: to('invites', { invite: 'first' }) },
          {
            group,
            label: 'Review who waits',
            about,
            icon: ListChecks,
            words: 'approve decline decide',
            act: to('queue/review', {}),
          },
        ]
      : []),
    ...(may('admin')
      ? [
          {
            group,
            label: 'Export people',
            about,
            icon: Download,
            words: 'csv json download',
            act: to('transfer', { tab: 'export' }),
          },
        ]
      : []),
  ];
}

const THEMES: [Theme, string, typeof Sun][] = [
  ['light', 'Switch to the light theme', Sun],
  ['dark', 'Switch to the dark theme', Moon],
  ['system', 'Use the theme of the system', Monitor],
];

function themeActions(current: Theme): Command[] {
  return THEMES.filter(([theme]) => theme !== current).map(([theme, label, icon]) => ({
    group: 'Actions',
    label,
    icon,
    words: 'mode appearance color',
    act: () => setTheme(theme),
  }));
}

/** What looks like a whole email, phone or id is looked up in all waitlists. */
export function isPerson(text: string): boolean {
  return /^(https?:\/\/\S+|\S+@\S+\.\S+|\+[\d ().-]{7,}|ent_\w{26})$/.test(text.trim());
}

/** Looks through the people of the waitlist on the screen. */
export function searchCommand(
  { waitlistId, environment }: Scope,
  name: string | undefined,
  text: string,
): Command {
  const search = stringifySearch(environmentSearch(environment));
  return {
    group: 'People',
    label: `Find “${text}”`,
    about: [name ?? waitlistId, environment].join(' · '),
    icon: UserSearch,
    act: `/waitlists/${waitlistId}/queue${search}`,
    find: text,
  };
}

export function personCommand({ waitlist, environment, entry }: Schemas['FoundPerson']): Command {
  const search = stringifySearch({ ...environmentSearch(environment), entry: entry.id });
  return {
    group: 'People',
    label: nameOf(entry),
    about: `${waitlist.name} · ${environment}`,
    icon: UserSearch,
    act: `/waitlists/${waitlist.id}/queue${search}`,
  };
}
