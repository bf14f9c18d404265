import { Outlet, useMatches } from '@tanstack/react-router';
import { Menu as MenuIcon } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { mayActAs, useMe } from '../api/me.ts';
import { useInterrupted } from '../api/session.ts';
import { IconButton } from '../ui/button.tsx';
import { cx } from '../ui/cx.ts';
import { SkeletonRows } from '../ui/skeleton.tsx';
import { EnvironmentBand, EnvironmentPill } from './environment.tsx';
import { Mark } from './mark.tsx';
import { pageOfRoute } from './navigation.ts';
import { OfflineBanner, useOnline } from './offline-banner.tsx';
import type { Overlay } from './overlay.ts';
import { SearchOverlay } from './search-overlay.tsx';
import { Sidebar } from './sidebar.tsx';
import { useFocusPage } from './use-focus-page.ts';
import { useShortcuts } from './use-shortcuts.ts';
import { useWaitlists } from './use-waitlists.ts';
import { PRODUCTION } from './waitlist-scope.ts';

const NavigationDrawer = lazy(() => import('./navigation-drawer.tsx'));
const NoAccessPage = lazy(() => import('./no-access-page.tsx'));
const SignInAgain = lazy(() => import('./sign-in-again.tsx'));
const ShortcutsHelp = lazy(() => import('./shortcuts-help.tsx'));

/** How much of the window the bands above the page take. */
const BANDS = ['[--band:0px]', '[--band:2rem]', '[--band:4rem]'];

/** The frame around every page for signed-in operators. */
export function Shell() {
  const { role } = useMe();
  const match = useMatches().at(-1);
  const page = pageOfRoute(match?.fullPath ?? '');
  useFocusPage(match?.pathname ?? '');
  const { here, scope, current } = useWaitlists();
  const tinted = here !== undefined && here.environment !== PRODUCTION;
  const offline = !useOnline();
  const interrupted = useInterrupted();
  const [overlay, setOverlay] = useState<Overlay>(null);
  const close = () => setOverlay(null);
  // Desktops never load it. Once opened, it stays, to leave as it came.
  const [hasDrawer, setHasDrawer] = useState(false);
  if (overlay === 'navigation' && !hasDrawer) setHasDrawer(true);
  useShortcuts(setOverlay);
  return (
    <div className={cx('flex min-h-dvh flex-col', BANDS[Number(tinted) + Number(offline)])}>
      <a
        href="#content"
        className="sr-only z-50 rounded-md bg-accent px-3 py-2 text-on-accent focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        Skip to content
      </a>
      <div className="sticky top-0 z-30">
        {offline && <OfflineBanner />}
        {tinted && <EnvironmentBand environment={here.environment} />}
      </div>
      <div className="flex min-w-0 flex-1">
        <aside className="sticky top-(--band) flex h-[calc(100dvh-var(--band))] w-61 shrink-0 flex-col border-r bg-surface max-md:hidden">
          <Sidebar onSearch={() => setOverlay('palette')} onHelp={() => setOverlay('shortcuts')} />
        </aside>
        <div className="flex min-w-0 flex-1 flex-col">
          <header className="sticky top-(--band) z-20 flex h-14 items-center gap-2 border-b bg-surface px-3 md:hidden">
            <IconButton label="Open navigation" onClick={() => setOverlay('navigation')}>
              <MenuIcon aria-hidden />
            </IconButton>
            <Mark className="size-6" />
            <span className="min-w-0 flex-1 truncate font-semibold">
              {current?.name ?? scope?.waitlistId ?? 'Doorlist'}
            </span>
            {here && <EnvironmentPill environment={here.environment} />}
          </header>
          <main
            id="content"
            tabIndex={-1}
            className="mx-auto flex w-full max-w-6xl min-w-0 flex-1 flex-col gap-6 px-4 py-6 outline-none md:px-8 md:py-8"
          >
            <Suspense fallback={<SkeletonRows />}>
              {page && !mayActAs(role, page.role) ? <NoAccessPage {...page} /> : <Outlet />}
            </Suspense>
          </main>
        </div>
      </div>
      <Suspense>
        {hasDrawer && (
          <NavigationDrawer open={overlay === 'navigation'} onClose={close}>
            <Sidebar
              onNavigate={close}
              onSearch={() => setOverlay('palette')}
              onHelp={() => setOverlay('shortcuts')}
            />
          </NavigationDrawer>
        )}
        {overlay === 'shortcuts' && <ShortcutsHelp onClose={close} />}
        {interrupted && <SignInAgain />}
      </Suspense>
      {overlay === 'palette' && <SearchOverlay onClose={close} />}
    </div>
  );
}
