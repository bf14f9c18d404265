import type { ReactNode } from 'react';
import { cx } from './cx.ts';

/** Relative: what is placed absolutely inside would otherwise make the page scroll. */
const FRAME = 'relative outline-offset-[-2px]';

/** Scrolls by keyboard too. It needs a name, because it takes the focus. */
export function Scrollable({
  label,
  className,
  children,
}: {
  label: string;
  className?: string;
  children: ReactNode;
}) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: it groups no form fields.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <div role="group" tabIndex={0} aria-label={label} className={cx(FRAME, className)}>
      {children}
    </div>
  );
}
