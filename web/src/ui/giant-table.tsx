import { type CSSProperties, type KeyboardEvent, useEffect, useId, useState } from 'react';
import { cx } from './cx.ts';
import { cellClass, type GiantColumn, GRID, HEAD_PX, ROW_PX, tracksOf } from './giant-columns.ts';
import { type GiantRows, useGiantRows } from './giant-rows.ts';
import { Skeleton } from './skeleton.tsx';

interface GiantTableProps<Row> {
  label: string;
  columns: readonly GiantColumn<Row>[];
  /** Of all rows, loaded or not. */
  count: number;
  /** Undefined while the row is loading. */
  rowAt: (index: number) => Row | undefined;
  /** Asks for these rows, first included, end not. */
  onShow: (first: number, end: number, atTop: boolean) => void;
  onOpen?: (row: Row) => void;
  /** Scrolls there when it changes, and again whenever `jumps` does. */
  goTo?: number | undefined;
  jumps?: number;
  /** On large screens, narrower than this it scrolls sideways. */
  least?: string;
  className?: string;
}

/** A table of millions of rows. Arrow keys, Page Up and Down, Home and End move; Enter opens. */
export function GiantTable<Row>(props: GiantTableProps<Row>) {
  const { label, columns, count, rowAt, onShow, onOpen, goTo, jumps, least = '0px', className } = props;
  const id = useId();
  const rows = useGiantRows(count, ROW_PX, HEAD_PX);
  const open = (index: number) => {
    const row = rowAt(index);
    if (row) onOpen?.(row);
  };
  const { current, setActive, onKeyDown } = useActiveRow(count, rows, open);
  useEffect(() => onShow(rows.first, rows.end, rows.atTop), [onShow, rows.first, rows.end, rows.atTop]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when the wish changes, not with every scroll.
  useEffect(() => {
    if (goTo === undefined) return;
    rows.goTo(goTo);
    setActive(goTo);
  }, [goTo, jumps]);

  const shown = Array.from({ length: Math.max(0, rows.end - rows.first) }, (_, index) => rows.first + index);

  return (
    <div
      ref={rows.box}
      role="grid"
      tabIndex={0}
      aria-label={label}
      aria-rowcount={count + 1}
      aria-activedescendant={count > 0 ? `${id}-${current}` : undefined}
      onScroll={rows.onScroll}
      onKeyDown={onKeyDown}
      style={{ ...tracksOf(columns), '--least': least } as CSSProperties}
      className={cx('group relative min-h-0 overflow-y-auto outline-offset-[-2px]', className)}
    >
      <div role="rowgroup" className="sticky top-0 z-10 border-b bg-surface md:min-w-(--least)">
        <div role="row" aria-rowindex={1} className={GRID} style={{ height: HEAD_PX - 1 }}>
          {columns.map((column) => (
            <span
              key={column.id}
              role="columnheader"
              // Smaller in the cell, not in the row: widths in ch are those of the rows below.
              className={cx(cellClass(column), 'text-sm font-medium text-mute')}
            >
              {column.label}
            </span>
          ))}
        </div>
      </div>
      <div role="rowgroup" className="relative md:min-w-(--least)" style={{ height: rows.tall }}>
        {shown.map((index) => {
          const row = rowAt(index);
          return (
            <div
              key={index}
              id={`${id}-${index}`}
              role="row"
              aria-rowindex={index + 2}
              data-index={index}
              data-current={index === current || undefined}
              style={{ top: rows.topOf(index), height: ROW_PX }}
              onClick={() => {
                setActive(index);
                open(index);
              }}
              className={cx(
                GRID,
                'absolute inset-x-0 hover:bg-hover',
                index < count - 1 && 'border-b',
                onOpen && 'cursor-pointer',
                index === current &&
                  'group-focus-visible:bg-hover group-focus-visible:shadow-[inset_3px_0_0_var(--accent)]',
              )}
            >
              {columns.map((column) => (
                <span key={column.id} role="gridcell" className={cellClass(column)}>
                  {row ? column.cell(row) : <Skeleton className="h-3.5 w-3/4" />}
                </span>
              ))}
            </div>
          );
        })}
      </div>
    </div>
  );
}

/** The row that the keys act on. `open` is what Enter does. */
function useActiveRow(count: number, rows: GiantRows, open: (index: number) => void) {
  const [active, setActive] = useState(0);
  const current = Math.min(active, Math.max(0, count - 1));
  const onKeyDown = (event: KeyboardEvent) => {
    const page = Math.max(1, Math.floor((rows.box.current?.clientHeight ?? 0) / ROW_PX) - 1);
    const steps: Record<string, number> = {
      ArrowDown: current + 1,
      ArrowUp: current - 1,
      PageDown: current + page,
      PageUp: current - page,
      Home: 0,
      End: count - 1,
    };
    const next = steps[event.key];
    if (next !== undefined) {
      event.preventDefault();
      const index = Math.min(count - 1, Math.max(0, next));
      setActive(index);
      rows.reveal(index);
    } else if (event.key === 'Enter') {
      open(current);
    }
  };
  return { current, setActive, onKeyDown };
}
