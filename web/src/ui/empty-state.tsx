import type { ReactNode } from 'react';

interface EmptyStateProps {
  icon?: ReactNode;
  title: string;
  /** Where it is the whole page. */
  first?: boolean;
  children?: ReactNode;
  /** What to do next. */
  action?: ReactNode;
  /** A command or code that works as it is. */
  snippet?: ReactNode;
}

/** Where there is nothing yet: what this is for, and what to do next. */
export function EmptyState({ icon, title, first, children, action, snippet }: EmptyStateProps) {
  const Heading = first ? 'h1' : 'h2';
  return (
    <div className="flex flex-col items-center gap-3 px-6 py-12 text-center">
      {icon && (
        <span className="flex size-11 items-center justify-center rounded-xl bg-accent-soft text-accent [&_svg]:size-5">
          {icon}
        </span>
      )}
      <div className="flex max-w-md flex-col gap-1">
        <Heading className="text-lg font-semibold">{title}</Heading>
        {children && <div className="text-pretty text-mute">{children}</div>}
      </div>
      {action && <div className="flex flex-wrap justify-center gap-2 pt-1">{action}</div>}
      {snippet && <div className="w-full max-w-2xl pt-3 text-left">{snippet}</div>}
    </div>
  );
}
