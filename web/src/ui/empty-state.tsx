import type { ReactNode } from 'react';
import { cx } from './cx.ts';

interface EmptyStateProps {
  icon?: ReactNode;
  title: string;
  /** Where it is the whole page. */
  first?: boolean;
  /** Where it is a failure. */
  danger?: boolean;
  children?: ReactNode;
  /** What to do next. */
  action?: ReactNode;
  /** A command or code that works as it is. */
  snippet?: ReactNode;
}

/** Where there is nothing yet: what this is for, and what to do next. */
export function EmptyState({ icon, title, first, danger, children, action, snippet }: EmptyStateProps) {
  const Heading = first ? 'h1' : 'h2';
  return (
    <div className="flex flex-col items-center gap-3 px-6 py-12 text-center">
      {icon && (
        <span
          className={cx(
            'flex size-11 items-center justify-center rounded-xl [&_svg]:size-5',
            danger ? 'bg-danger-soft text-danger' : 'bg-accent-soft text-accent',
          )}
        >
          {icon}
        </span>
      )}
      <div className="flex max-w-md flex-col gap-1">
        <Heading className="text-lg font-semibold">{title}</Heading>
        {children && <div className="text-balance text-mute">{children}</div>}
      </div>
      {action && <div className="flex flex-wrap justify-center gap-2 pt-1">{action}</div>}
      {snippet && <div className="w-full max-w-2xl pt-3 text-left">{snippet}</div>}
    </div>
  );
}
