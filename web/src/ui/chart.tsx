import { lazy, Suspense, useState } from 'react';
import type { ChartProps, SeriesColor } from './chart-types.ts';
import { cx } from './cx.ts';
import { number } from './number.ts';
import { Skeleton } from './skeleton.tsx';

const Canvas = lazy(() => import('./chart-canvas.tsx'));
const NumbersTable = lazy(() => import('./chart-table.tsx'));

const SWATCHES: Record<SeriesColor, string> = {
  accent: 'bg-accent',
  violet: 'bg-violet',
  sky: 'bg-sky',
  warn: 'bg-warn',
  danger: 'bg-danger',
  mute: 'bg-mute',
};

/** Lines over time, with a legend that follows the pointer, and the same numbers as a table. */
export function Chart({ height = 240, actions, ...props }: ChartProps) {
  const [table, setTable] = useState(false);
  const [at, setAt] = useState<number | null>(null);
  const { series, times, label, timeZone, running } = props;
  const last = times.length - 1;
  const formatTime = (time: string) =>
    `${props.formatTime(time)}${running && time === times[last] ? ', so far' : ''}`;
  return (
    <figure className="flex flex-col gap-3" aria-label={label}>
      <figcaption className="flex flex-wrap items-center gap-x-4 gap-y-1 text-sm">
        {series.map(({ label: name, color, values }) => (
          <span key={name} className="flex items-center gap-1.5">
            <span aria-hidden className={cx('size-2 rounded-full', SWATCHES[color])} />
            {name}
            <span className="font-medium tabular-nums">
              {number(at === null ? values.reduce((sum, value) => sum + value, 0) : (values[at] ?? 0))}
            </span>
          </span>
        ))}
        <span className="text-mute">{at === null ? 'in total' : formatTime(times[at] ?? '')}</span>
        <span className="flex-1" />
        {actions}
        <button
          type="button"
          aria-pressed={table}
          onClick={() => setTable(!table)}
          className="rounded-sm text-mute underline-offset-4 hover:text-ink hover:underline"
        >
          {table ? 'Show as chart' : 'Show as table'}
        </button>
      </figcaption>
      <Suspense fallback={<Skeleton className="h-60 w-full" />}>
        {table ? (
          <NumbersTable {...props} formatTime={formatTime} />
        ) : (
          <Canvas {...props} height={height} onPoint={setAt} />
        )}
      </Suspense>
      <p className="text-xs text-mute">
        Times in {timeZone.replaceAll('_', ' ')}.
        {running && (last > 0 ? ' Dotted: not over yet.' : ' Not over yet.')}
        {props.onPick && !table && ' Click a time to see its people; the table has links.'}
      </p>
    </figure>
  );
}
