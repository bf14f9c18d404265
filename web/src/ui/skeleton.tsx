import { cx } from './cx.ts';

/** Holds the place of something that is loading. */
export function Skeleton({ className }: { className?: string }) {
  return (
    <span aria-hidden className={cx('block animate-pulse rounded-sm bg-hover', className ?? 'h-4 w-full')} />
  );
}

export function SkeletonRows({ rows = 5 }: { rows?: number }) {
  return (
    <div role="status" aria-label="Loading" className="flex flex-col gap-3 p-5">
      {Array.from({ length: rows }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same.
        <Skeleton key={index} className={cx('h-4', index % 3 === 2 ? 'w-2/3' : 'w-full')} />
      ))}
    </div>
  );
}
