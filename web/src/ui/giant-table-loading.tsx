import { cx } from './cx.ts';
import { cellClass, type GiantColumn, GRID, HEAD_PX, ROW_PX, tracksOf } from './giant-columns.ts';
import { Skeleton } from './skeleton.tsx';

const ROWS = Array.from({ length: 12 }, (_, row) => row);

/** Holds the place of a giant table until its length is known. */
export function GiantTableLoading<Row>({ columns }: { columns: readonly GiantColumn<Row>[] }) {
  return (
    <div role="status" aria-label="Loading" style={tracksOf(columns)}>
      <div aria-hidden className={cx(GRID, 'border-b')} style={{ height: HEAD_PX }}>
        {columns.map((column) => (
          <span key={column.id} className={cx(cellClass(column), 'text-sm font-medium text-mute')}>
            {column.label}
          </span>
        ))}
      </div>
      {ROWS.map((row) => (
        <div key={row} className={cx(GRID, 'border-b last:border-0')} style={{ height: ROW_PX }}>
          {columns.map((column) => (
            <span key={column.id} className={cellClass(column)}>
              <Skeleton className={cx('h-3.5 w-3/5', column.right && 'ml-auto')} />
            </span>
          ))}
        </div>
      ))}
    </div>
  );
}
