import { useEffect, useRef } from 'react';

let hasMoved = false;

/** Moves the focus to the heading of a new page if it was on something that is gone, such as a row that was opened. */
export function useFocusPage(pathname: string): void {
  const shown = useRef(pathname);
  useEffect(() => {
    if (shown.current === pathname) return;
    shown.current = pathname;
    hasMoved = true;
    focusHeading();
  }, [pathname]);
}

/** For a page that shows another heading once it is loaded. The first page leaves the focus to the skip link. */
export function focusHeading(): void {
  if (hasMoved && document.activeElement === document.body)
    document.querySelector<HTMLElement>('main h1')?.focus();
}
