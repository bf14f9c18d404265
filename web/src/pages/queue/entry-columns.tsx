import type { EntryStatus } from '../../api/choices.ts';
import { type Entry, nameOf } from '../../api/entries.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { cx } from '../../ui/cx.ts';
import type { GiantColumn } from '../../ui/giant-columns.ts';
import { number } from '../../ui/number.ts';
import { RelativeTime } from '../../ui/relative-time.tsx';

export function Person({ entry, className }: { entry: Entry; className?: string }) {
  const name = nameOf(entry);
  const erased = entry.email === null && entry.phone === null;
  return (
    <span
      title={erased ? undefined : name}
      dir="auto"
      className={cx('block truncate text-left', erased ? 'text-mute italic' : 'font-medium', className)}
    >
      {name}
    </span>
  );
}

/** A value of the metadata on one line. */
function shortValue(value: unknown): string {
  if (value === undefined || value === null) return '–';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

interface EntryColumnsOptions {
  /** Metadata keys with a column of their own. */
  keys: readonly string[];
  /** The highest position there can be. */
  count: number;
  /** Without one, people of every status are shown. */
  status: EntryStatus | undefined;
}

export function entryColumns({ keys, count, status }: EntryColumnsOptions): GiantColumn<Entry>[] {
  const position: GiantColumn<Entry> = {
    id: 'position',
    label: '#',
    width: `${Math.max(3, number(count).length) * 0.5 + 0.3}rem`,
    cell: ({ position }) =>
      position === null ? (
        <span className="text-mute">–</span>
      ) : (
        <span className="tabular-nums">{number(position)}</span>
      ),
  };
  return [
    // Only those who wait have one.
    ...(status === undefined || status === 'waiting' ? [position] : []),
    { id: 'person', label: 'Person', width: 'minmax(0,2fr)', cell: (entry) => <Person entry={entry} /> },
    {
      id: 'status',
      label: 'Status',
      width: '6rem',
      wide: status !== undefined,
      cell: ({ status }) => <StatusBadge status={status} />,
    },
    {
      id: 'referrals',
      label: 'Referrals',
      width: '4.5rem',
      right: true,
      wide: status === undefined,
      cell: ({ referrals }) => (
        <span className={referrals === 0 ? 'text-mute' : ''}>{number(referrals)}</span>
      ),
    },
    ...keys.map(metadataColumn),
    {
      id: 'joined',
      label: 'Signed up',
      width: '7rem',
      right: true,
      wide: true,
      cell: ({ createdAt }) => <RelativeTime at={createdAt} />,
    },
  ];
}

function metadataColumn(key: string, index: number): GiantColumn<Entry> {
  // The first one follows numbers, which end at its edge.
  const apart = index === 0 ? 'pl-6' : '';
  return {
    id: `metadata ${key}`,
    label: (
      <span title={key} dir="auto" className={apart}>
        {key}
      </span>
    ),
    width: 'minmax(0,1fr)',
    wide: true,
    cell: ({ metadata }) => {
      const text = shortValue(metadata && Object.hasOwn(metadata, key) ? metadata[key] : null);
      return (
        <span title={text.slice(0, 1_000)} dir="auto" className={apart}>
          {text.slice(0, 200)}
        </span>
      );
    },
  };
}

/** So that many columns scroll sideways instead of becoming unreadable. */
export function leastWidth(keys: readonly string[]): string {
  return keys.length === 0 ? '0px' : `${38 + keys.length * 8}rem`;
}
