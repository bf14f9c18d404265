import { cx } from './cx.ts';

/** Holds the place of something that is loading. */
export function Skeleton({ className }: { className?: string }) {
  return (
    <span
      aria-hidden
      className={cx('block animate-pulse rounded-sm bg-skeleton', className ?? 'h-4 w-full')}
    />
  );
}

export function SkeletonRows({ rows = 5, flush }: { rows?: number; flush?: boolean }) {
  return (
    <div role="status" aria-label="Loading" className={cx('flex flex-col gap-3', !flush && 'p-5')}>
      {Array.from({ length: rows }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same.
        <Skeleton key={index} className={cx('h-4', index % 3 === 2 ? 'w-2/3' : 'w-full')} />
      ))}
    </div>
  );
}

/** Cards with fields, for a page of settings. The numbers are of fields. */
export function SkeletonForms({ cards }: { cards: readonly number[] }) {
  return (
    <div role="status" aria-label="Loading" className="flex flex-col gap-6">
      {cards.map((fields, card) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: they never change.
          key={card}
          className="flex flex-col gap-5 rounded-lg bg-surface p-5 ring-1 ring-line"
        >
          <Skeleton className="h-5 w-32" />
          {Array.from({ length: fields }, (_, field) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same.
            <span key={field} className="flex max-w-lg flex-col gap-2">
              <Skeleton className="h-4 w-24" />
              <Skeleton className="h-9 rounded-md" />
            </span>
          ))}
        </div>
      ))}
    </div>
  );
}
