import type { ReactNode } from 'react';
import { cx } from './cx.ts';
import { number } from './number.ts';
import { Skeleton } from './skeleton.tsx';

interface CardProps {
  title?: ReactNode;
  about?: ReactNode;
  /** Beside the title. */
  actions?: ReactNode;
  /** Without space around the content, for tables. */
  flush?: boolean;
  children?: ReactNode;
  className?: string;
}

export function Card({ title, about, actions, flush, children, className }: CardProps) {
  const headed = Boolean(title || actions);
  return (
    <section className={cx('min-w-0 rounded-lg bg-surface ring-1 ring-line', className)}>
      {headed && (
        <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2 px-5 pt-4">
          <div className="min-w-0 flex-1 basis-40">
            {title && <h2 className="text-base font-semibold">{title}</h2>}
            {about && <p className="text-sm text-mute">{about}</p>}
          </div>
          {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
        </div>
      )}
      <div className={cx('empty:pt-0! empty:pb-4', !flush && 'p-5', headed && (flush ? 'pt-3' : 'pt-4'))}>
        {children}
      </div>
    </section>
  );
}

interface StatProps {
  label: ReactNode;
  /** Undefined while it is loading. */
  value: number | string | null | undefined;
  /** A line below. */
  about?: ReactNode;
}

/** One number. */
export function Stat({ label, value, about }: StatProps) {
  return (
    <div className="flex min-w-0 flex-col gap-1 px-5 py-4">
      <dt className="truncate text-sm text-mute">{label}</dt>
      <dd className="text-2xl font-semibold tracking-tight tabular-nums">
        {value === undefined ? <Skeleton className="h-8 w-20" /> : <Figure value={value} />}
      </dd>
      {about && <dd className="text-sm wrap-break-word text-mute">{about}</dd>}
    </div>
  );
}

function Figure({ value }: { value: number | string | null }) {
  return value === null ? '–' : typeof value === 'number' ? number(value) : value;
}

/** Numbers side by side. */
export function Stats({ children }: { children: ReactNode }) {
  return (
    <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-lg bg-line ring-1 ring-line *:bg-surface max-md:[&>:last-child:nth-child(odd)]:col-span-2 md:grid-flow-col md:auto-cols-fr md:grid-cols-none">
      {children}
    </dl>
  );
}
