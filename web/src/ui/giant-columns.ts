import type { CSSProperties, ReactNode } from 'react';
import { cx } from './cx.ts';

export interface GiantColumn<Row> {
  id: string;
  label: ReactNode;
  cell: (row: Row) => ReactNode;
  /** A track of CSS grid, such as `6rem` or `minmax(0,1fr)`. */
  width: string;
  right?: boolean;
  /** Left out on small screens. */
  wide?: boolean;
}

export const ROW_PX = 44;
export const HEAD_PX = 37;

export const GRID = 'grid grid-cols-(--few-tracks) items-center gap-3 px-5 text-left md:grid-cols-(--tracks)';

export function tracksOf(columns: readonly Pick<GiantColumn<never>, 'width' | 'wide'>[]): CSSProperties {
  const widths = (shown: typeof columns) => shown.map(({ width }) => width).join(' ');
  return {
    '--tracks': widths(columns),
    '--few-tracks': widths(columns.filter(({ wide }) => !wide)),
  } as CSSProperties;
}

export function cellClass({ right, wide }: Pick<GiantColumn<never>, 'right' | 'wide'>): string {
  return cx('min-w-0 truncate', right && 'text-right tabular-nums', wide && 'max-md:hidden');
}
