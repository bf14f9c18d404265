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

/** Cards with fields. Each number is how many of them are side by side. */
export function SkeletonForms({
  cards,
  narrow,
}: {
  cards: readonly (readonly number[])[];
  narrow?: boolean;
}) {
  return (
    <div role="status" aria-label="Loading" className="flex flex-col gap-6">
      {cards.map((rows, card) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: they never change.
          key={card}
          className="rounded-lg bg-surface px-5 pt-4 pb-5 ring-1 ring-line"
        >
          <Skeleton className="my-0.75 h-4 w-32" />
          <div className={cx('flex flex-col gap-5 pt-4', narrow && 'max-w-lg')}>
            {rows.map((fields, row) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: they never change.
              <div key={row} className={cx('grid gap-5', fields > 1 && 'md:grid-cols-2')}>
                {Array.from({ length: fields }, (_, field) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same.
                  <SkeletonField key={field} />
                ))}
              </div>
            ))}
          </div>
        </div>
      ))}
    </div>
  );
}

/** A label, a control, and a line of help. */
export function SkeletonField({ className }: { className?: string }) {
  return (
    <span className="flex flex-col gap-1.5">
      <Skeleton className="my-1 h-3 w-24" />
      <Skeleton className={cx('rounded-md', className ?? 'h-9')} />
      <Skeleton className="my-1 h-3 w-2/3" />
    </span>
  );
}
