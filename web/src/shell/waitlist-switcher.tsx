import { Link } from '@tanstack/react-router';
import { Check, ChevronsUpDown, LayoutList } from 'lucide-react';
import { type ComponentProps, lazy, Suspense } from 'react';
import { FEW_WAITLISTS } from '../api/waitlists.ts';
import { initialOf } from '../ui/initial.ts';
import { Menu, MenuHeading, MenuItem, MenuLine } from '../ui/menu.tsx';
import { useWaitlists } from './use-waitlists.ts';
import { environmentSearch, PRODUCTION } from './waitlist-scope.ts';

const WaitlistFinder = lazy(() => import('./waitlist-finder.tsx'));

interface WaitlistSwitcherProps {
  onNavigate?: (() => void) | undefined;
}

/** Which waitlist the pages below are about. */
export function WaitlistSwitcher({ onNavigate }: WaitlistSwitcherProps) {
  const { scope, environment, waitlists } = useWaitlists();
  if (waitlists && waitlists.length > FEW_WAITLISTS)
    return (
      <Suspense fallback={<SwitcherButton />}>
        <WaitlistFinder
          trigger={<SwitcherButton />}
          waitlists={waitlists}
          chosen={scope?.waitlistId}
          environment={environment}
          onNavigate={onNavigate}
        />
      </Suspense>
    );
  return (
    <Menu align="start" className="w-56" trigger={<SwitcherButton />}>
      <MenuHeading>Waitlists</MenuHeading>
      {waitlists?.map(({ id, name }) => (
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

function SwitcherButton(props: ComponentProps<'button'>) {
  const { here, scope, environment, current } = useWaitlists();
  // Where no switch shows the environment.
  const left = here === undefined && environment !== PRODUCTION ? ` · ${environment}` : '';
  return (
    <button
      type="button"
      {...props}
      className="flex h-11 w-full items-center gap-2.5 rounded-md bg-surface px-2.5 text-left ring-1 ring-line ring-inset hover:bg-hover"
    >
      <span className="sr-only">Waitlist: </span>
      <span
        aria-hidden
        className="flex size-7 shrink-0 items-center justify-center rounded-sm bg-accent font-semibold text-on-accent"
      >
        {scope ? (
          initialOf(current?.name ?? scope.waitlistId.slice(3))
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
  );
}
