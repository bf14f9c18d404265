import { type Column, Table } from '../../ui/table.tsx';
import { number, type WaveForecast } from './waves.ts';

type Run = WaveForecast['upcoming'][number];

const format = new Intl.DateTimeFormat('en', { dateStyle: 'full', timeStyle: 'short' });

const COLUMNS: readonly Column<Run>[] = [
  { id: 'at', label: 'When', cell: ({ at }) => <time dateTime={at}>{format.format(new Date(at))}</time> },
  {
    id: 'invites',
    label: 'Invites',
    right: true,
    cell: ({ invites }) => (invites === 0 ? 'No places left' : `Up to ${number(invites)}`),
  },
  { id: 'joins', label: 'Expected to join', right: true, cell: joinsOf },
];

function joinsOf({ invites, expectedJoins: expected }: Run) {
  if (invites === 0) return '–';
  if (!expected) return <span className="text-mute">Unknown</span>;
  return `${number(expected.low)} to ${number(expected.high)}`;
}

/** The next runs, by the clock of the person who looks. */
export function Upcoming({ upcoming, empty }: { upcoming: readonly Run[] | undefined; empty: string }) {
  const full = upcoming?.findIndex(({ invites }) => invites === 0) ?? -1;
  return (
    <Table
      label="Next runs"
      columns={COLUMNS}
      rows={full < 0 ? upcoming : upcoming?.slice(0, full + 1)}
      rowId={({ at }) => at}
      empty={<p className="px-5 pb-4 text-mute">{empty}</p>}
    />
  );
}
