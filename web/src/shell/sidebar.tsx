import { Link } from '@tanstack/react-router';
import { Keyboard, Search } from 'lucide-react';
import type { ReactNode } from 'react';
import { mayActAs, useMe } from '../api/me.ts';
import { IconButton } from '../ui/button.tsx';
import { AccountMenu } from './account-menu.tsx';
import { EnvironmentSwitch } from './environment.tsx';
import { Wordmark } from './mark.tsx';
import { INSTANCE_PAGES, WAITLIST_PAGES } from './navigation.ts';
import { MOD } from './use-shortcuts.ts';
import { useWaitlists } from './use-waitlists.ts';
import { environmentSearch } from './waitlist-scope.ts';
import { WaitlistSwitcher } from './waitlist-switcher.tsx';

interface SidebarProps {
  onSearch: () => void;
  onHelp: () => void;
  onNavigate?: () => void;
}

const LINK =
  'flex h-8.5 shrink-0 items-center gap-2.5 rounded-md px-2.5 font-medium text-mute hover:bg-hover hover:text-ink data-[status=active]:bg-hover data-[status=active]:text-ink max-md:h-11 md:short:h-7 [&_svg]:size-4 [&_svg]:shrink-0';

export function Sidebar({ onSearch, onHelp, onNavigate }: SidebarProps) {
  const { role } = useMe();
  const { here, scope } = useWaitlists();
  const instance = INSTANCE_PAGES.filter((page) => mayActAs(role, page.role));
  return (
    <>
      <div className="flex h-15 shrink-0 items-center justify-between pr-2 pl-4">
        <Link to="/waitlists" onClick={onNavigate} className="rounded-sm">
          <Wordmark />
        </Link>
        <IconButton label="Keyboard shortcuts" onClick={onHelp} className="max-md:hidden">
          <Keyboard aria-hidden />
        </IconButton>
      </div>
      <div className="flex flex-col gap-2 px-3 pb-3">
        <WaitlistSwitcher onNavigate={onNavigate} />
        {here && <EnvironmentSwitch onSwitch={onNavigate} />}
        <button
          type="button"
          onClick={onSearch}
          className="flex h-9 items-center gap-2.5 rounded-md px-3 text-mute ring-1 ring-line ring-inset hover:bg-hover hover:text-ink"
        >
          <Search className="size-4" aria-hidden />
          <span className="flex-1 text-left">Search</span>
          <kbd className="font-sans text-xs max-md:hidden">{MOD}K</kbd>
        </button>
      </div>
      <div className="scroll-shadows flex min-h-0 flex-1 flex-col gap-5 overflow-y-auto px-3 pb-3 short:gap-3">
        {scope && (
          <Section label="Waitlist">
            {WAITLIST_PAGES.filter((page) => mayActAs(role, page.role)).map(({ to, label, icon: Icon }) => (
              <Link
                key={to}
                to={to}
                params={{ waitlistId: scope.waitlistId }}
                search={environmentSearch(scope.environment)}
                activeOptions={{ exact: to === '/waitlists/$waitlistId', includeSearch: false }}
                onClick={onNavigate}
                className={LINK}
              >
                <Icon />
                {label}
              </Link>
            ))}
          </Section>
        )}
        {instance.length > 0 && (
          <Section label="Installation">
            {instance.map(({ to, label, icon: Icon }) => (
              <Link
                key={to}
                to={to}
                activeOptions={{ includeSearch: false }}
                onClick={onNavigate}
                className={LINK}
              >
                <Icon />
                {label}
              </Link>
            ))}
          </Section>
        )}
      </div>
      <div className="border-t p-2 short:p-1">
        <AccountMenu onNavigate={onNavigate} />
      </div>
    </>
  );
}

function Section({ label, children }: { label: string; children: ReactNode }) {
  return (
    <nav aria-label={label} className="flex flex-col gap-0.5 md:short:gap-0">
      <p className="px-2.5 pb-1 text-xs font-medium text-mute">{label}</p>
      {children}
    </nav>
  );
}
