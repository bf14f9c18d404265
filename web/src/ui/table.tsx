import type { ReactNode } from 'react';
import { cx } from './cx.ts';
import { Scrollable } from './scrollable.tsx';
import { Skeleton } from './skeleton.tsx';

export interface Column<Row> {
  /** Unique in the table. */
  id: string;
  label: ReactNode;
  cell: (row: Row) => ReactNode;
  /** Numbers go to the right. */
  right?: boolean;
  /** Left out on small screens. */
  wide?: boolean;
  className?: string;
}

interface TableProps<Row> {
  label: string;
  columns: readonly Column<Row>[];
  /** Undefined while loading. */
  rows: readonly Row[] | undefined;
  rowId: (row: Row) => string;
  /** Opens details. The first cell becomes a button, for the keyboard. */
  onOpen?: ((row: Row) => void) | undefined;
  /** Whether there are details of a row. Of all by default. */
  canOpen?: (row: Row) => boolean;
  /** When there are no rows. */
  empty?: ReactNode;
  /** How many rows there usually are. */
  usual?: number;
}

const EDGES = 'px-2 first:pl-5 last:pr-5 max-md:last:pr-3 md:px-3';
const HEAD = `h-9 font-medium whitespace-nowrap ${EDGES}`;
const CELL = `h-12 py-2 ${EDGES}`;

function classOf<Row>(columns: readonly Column<Row>[], index: number): string {
  const after = columns.slice(index + 1);
  const isLastOnPhones = after.length > 0 && after.every(({ wide }) => wide);
  const { wide, className } = columns[index] ?? {};
  return cx(wide && 'max-md:hidden', isLastOnPhones && 'max-md:pr-5', className);
}

/** A plain table for up to a few hundred rows. */
export function Table<Row>({
  label,
  columns,
  rows,
  rowId,
  onOpen,
  canOpen = () => true,
  empty,
  usual = 5,
}: TableProps<Row>) {
  if (rows?.length === 0 && empty) return empty;
  if (!rows)
    return (
      <div role="status" aria-label="Loading" className="overflow-hidden">
        <SkeletonTable columns={columns} rows={usual} />
      </div>
    );
  return (
    <Scrollable label={label} className="overflow-x-auto">
      <table className="w-full border-collapse text-left">
        <Head columns={columns} />
        <tbody>
          {rows.map((row) => {
            const open = onOpen && canOpen(row) ? () => onOpen(row) : undefined;
            return (
              <tr
                key={rowId(row)}
                className={cx('border-b last:border-0', open && 'cursor-pointer hover:bg-hover')}
                onClick={open && ((event) => isPlain(event.target) && open())}
              >
                {columns.map(({ id, cell, right }, index) => (
                  <td
                    key={id}
                    className={cx(CELL, right && 'text-right tabular-nums', classOf(columns, index))}
                  >
                    {open && index === 0 ? (
                      <button type="button" className="block max-w-full text-left" onClick={open}>
                        {cell(row)}
                      </button>
                    ) : (
                      cell(row)
                    )}
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
    </Scrollable>
  );
}

function Head<Row>({ columns }: Pick<TableProps<Row>, 'columns'>) {
  return (
    <thead>
      <tr className="border-b text-sm text-mute">
        {columns.map(({ id, label, right }, index) => (
          <th key={id} scope="col" className={cx(HEAD, right && 'text-right', classOf(columns, index))}>
            {label}
          </th>
        ))}
      </tr>
    </thead>
  );
}

/** The table before it has rows, so that nothing moves when they come. */
function SkeletonTable<Row>({ columns, rows }: Pick<TableProps<Row>, 'columns'> & { rows: number }) {
  return (
    <table aria-hidden className="w-full border-collapse text-left">
      <Head columns={columns} />
      <tbody>
        {Array.from({ length: rows }, (_, row) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same.
          <tr key={row} className="border-b last:border-0">
            {columns.map(({ id, right }, index) => (
              <td key={id} className={cx(CELL, classOf(columns, index))}>
                <Skeleton
                  className={cx('h-4', index === 0 ? 'w-3/4 min-w-24' : 'w-12', right && 'ml-auto')}
                />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A click on a button or a link inside a row is not a click on the row. */
function isPlain(target: EventTarget): boolean {
  return (
    target instanceof Element &&
    target.closest('button, a, input, label, [role="menu"], [role="dialog"]') === null
  );
}
