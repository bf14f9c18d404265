import { Link } from '@tanstack/react-router';
import { BookOpen, Check, ChevronsUpDown, LogOut, Monitor, Moon, Sun, User } from 'lucide-react';
import { useMe } from '../api/me.ts';
import { BASE_PATH } from '../base-path.ts';
import { setTheme, type Theme, useTheme } from '../theme.ts';
import { initialOf } from '../ui/initial.ts';
import { Menu, MenuItem, MenuLine } from '../ui/menu.tsx';
import { toastError } from '../ui/toast.tsx';
import { signOut } from './sign-out.ts';

const THEMES: [Theme, string, typeof Sun][] = [
  ['system', 'Same as the system', Monitor],
  ['light', 'Light', Sun],
  ['dark', 'Dark', Moon],
];

export function AccountMenu({ onNavigate }: { onNavigate?: (() => void) | undefined }) {
  const me = useMe();
  return (
    <Menu
      align="start"
      side="top"
      className="w-57"
      trigger={
        <button
          type="button"
          className="flex w-full items-center gap-2.5 rounded-md p-2 text-left hover:bg-hover"
        >
          <span
            aria-hidden
            className="flex size-8 shrink-0 items-center justify-center rounded-full bg-accent-soft font-semibold text-accent-strong"
          >
            {initialOf(me.name || me.email)}
          </span>
          <span className="flex min-w-0 flex-1 flex-col leading-tight">
            <span className="truncate font-medium">{me.name || me.email}</span>
            <span className="truncate text-xs text-mute capitalize">{me.role}</span>
          </span>
          <ChevronsUpDown className="size-3.5 shrink-0 text-mute" aria-hidden />
        </button>
      }
    >
      <MenuItem icon={<User aria-hidden />} render={<Link to="/account" onClick={() => onNavigate?.()} />}>
        Your account
      </MenuItem>
      <MenuItem
        icon={<BookOpen aria-hidden />}
        render={
          <a
            href={`${BASE_PATH}/docs/quick-start`}
            target="_blank"
            rel="noreferrer"
            aria-label="Documentation"
          />
        }
      >
        Documentation
      </MenuItem>
      <MenuLine />
      <ThemeItems />
      <MenuLine />
      <MenuItem icon={<LogOut aria-hidden />} onClick={() => signOut().catch(toastError)}>
        Sign out
      </MenuItem>
    </Menu>
  );
}

function ThemeItems() {
  const { theme } = useTheme();
  return THEMES.map(([value, label, Icon]) => (
    <MenuItem key={value} icon={<Icon aria-hidden />} onClick={() => setTheme(value)}>
      <span className="flex items-center gap-2">
        <span className="min-w-0 flex-1">{label}</span>
        {value === theme && <Check aria-label="(chosen)" />}
      </span>
    </MenuItem>
  ));
}
