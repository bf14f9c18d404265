import { number } from '../../ui/number.ts';
import { type Column, Table } from '../../ui/table.tsx';
import { type WaveForecast, zoneName } from './waves.ts';

type Run = WaveForecast['upcoming'][number];

interface UpcomingProps {
  upcoming: readonly Run[] | undefined;
  /** Of the schedule, if there is one. */
  timeZone: string | undefined;
  /** Why a run would invite nobody. */
  nobody: string;
  /** What to say without runs. */
  empty: string;
}

/** The next runs, by the clocks that the plan goes by. */
export function Upcoming({ upcoming, timeZone = OWN_ZONE, nobody, empty }: UpcomingProps) {
  const full = upcoming?.findIndex(({ invites }) => invites === 0) ?? -1;
  return (
    <>
      <Table
        label="Next runs"
        columns={columnsIn(timeZone, nobody)}
        rows={full < 0 ? upcoming : upcoming?.slice(0, full + 1)}
        rowId={({ at }) => at}
        empty={<p className="px-5 pb-4 text-mute">{empty}</p>}
      />
      {upcoming && upcoming.length > 0 && (
        <p className="border-t px-5 py-3 text-xs text-mute">Times in {zoneName(timeZone)}.</p>
      )}
    </>
  );
}

const FORMAT: Intl.DateTimeFormatOptions = {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
};
const OWN_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

function columnsIn(timeZone: string, nobody: string): Column<Run>[] {
  const format = new Intl.DateTimeFormat('en', { ...FORMAT, timeZone });
  return [
    { id: 'at', label: 'When', cell: ({ at }) => <time dateTime={at}>{format.format(new Date(at))}</time> },
    {
      id: 'invites',
      label: 'Invites',
      right: true,
      cell: ({ invites }) =>
        invites === 0 ? nobody : <span className="whitespace-nowrap">Up to {number(invites)}</span>,
    },
    { id: 'joins', label: 'Expected to join', right: true, cell: joinsOf },
  ];
}

function joinsOf({ invites, expectedJoins: expected }: Run) {
  if (invites === 0) return '–';
  if (!expected) return <span className="text-mute">Unknown</span>;
  return `${number(expected.low)} to ${number(expected.high)}`;
}

/** A wave, or a plan before it is one. */
interface Plan {
  keepOpen?: number | null;
  untilJoined?: number | null;
  joined: number;
  openInvites: number;
  upcoming: readonly Run[] | null;
}

/** Why a run would invite nobody. */
export function nobodyWhy(plan: Plan): string {
  return hasPlaces(plan) ? 'Nobody left' : 'No places left';
}

/** Why there is no next run. */
export function nothingWhy(plan: Plan): string {
  if (plan.keepOpen && plan.openInvites >= plan.keepOpen) return 'Enough invites are open.';
  return hasPlaces(plan)
    ? 'Nobody is left to invite right now.'
    : 'No places left: those who joined and the open invites take them all.';
}

/** Whether places are left after the next runs, for people who are not there yet. */
function hasPlaces({ untilJoined, joined, openInvites, upcoming }: Plan): boolean {
  if (untilJoined === null || untilJoined === undefined) return true;
  const planned = (upcoming ?? []).reduce((sum, { invites }) => sum + invites, 0);
  return joined + openInvites + planned < untilJoined;
}
