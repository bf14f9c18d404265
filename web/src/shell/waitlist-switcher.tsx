import { Link } from '@tanstack/react-router';
import { Check, ChevronsUpDown, LayoutList } from 'lucide-react';
import { Menu, MenuHeading, MenuItem, MenuLine } from '../ui/menu.tsx';
import { useWaitlists } from './use-waitlists.ts';
import { environmentSearch, PRODUCTION } from './waitlist-scope.ts';

const SHOWN = 12;

/** Which waitlist the pages below are about. */
export function WaitlistSwitcher({ onNavigate }: { onNavigate?: (() => void) | undefined }) {
  const { here, scope, environment, waitlists, current } = useWaitlists();
  // Where no switch shows the environment.
  const left = here === undefined && environment !== PRODUCTION ? ` · ${environment}` : '';
  return (
    <Menu
      align="start"
      className="w-56"
      trigger={
        <button
          type="button"
          className="flex h-11 w-full items-center gap-2.5 rounded-md bg-surface px-2.5 text-left ring-1 ring-line ring-inset hover:bg-hover"
        >
          <span className="sr-only">Waitlist: </span>
          <span
            aria-hidden
            className="flex size-7 shrink-0 items-center justify-center rounded-sm bg-accent font-semibold text-on-accent"
          >
            {scope ? (
              (current?.name ?? scope.waitlistId.slice(3)).slice(0, 1).toUpperCase()
            ) : (
              <LayoutList className="size-4" aria-hidden />
            )}
          </span>
          <span className="flex min-w-0 flex-1 flex-col leading-tight">
            <span className="truncate font-medium">
              {current?.name ?? scope?.waitlistId ?? 'Choose a waitlist'}
            </span>
            {current && (
              <span className="truncate text-xs text-mute">
                {current.id}
                {left}
              </span>
            )}
          </span>
          <ChevronsUpDown className="size-3.5 shrink-0 text-mute" aria-hidden />
        </button>
      }
    >
      <MenuHeading>Waitlists</MenuHeading>
      {waitlists?.slice(0, SHOWN).map(({ id, name }) => (
        <MenuItem
          key={id}
          render={
            <Link
              to="/waitlists/$waitlistId"
              params={{ waitlistId: id }}
              search={environmentSearch(environment)}
              onClick={() => onNavigate?.()}
            />
          }
        >
          <span className="flex items-center gap-2">
            <span className="min-w-0 flex-1 truncate">{name}</span>
            {id === scope?.waitlistId && <Check aria-hidden />}
          </span>
        </MenuItem>
      ))}
      <MenuLine />
      <MenuItem
        icon={<LayoutList aria-hidden />}
        render={<Link to="/waitlists" onClick={() => onNavigate?.()} />}
      >
        All waitlists
      </MenuItem>
    </Menu>
  );
}
