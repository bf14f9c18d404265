import { Badge, type Tone } from '../../ui/badge.tsx';
import { number } from '../../ui/number.ts';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import type { WaveRun } from './waves.ts';

const OUTCOMES: Record<NonNullable<WaveRun['outcome']> | 'running', { label: string; tone: Tone }> = {
  running: { label: 'Running', tone: 'violet' },
  done: { label: 'Done', tone: 'accent' },
  skipped: { label: 'Skipped', tone: 'warn' },
  stopped: { label: 'Stopped', tone: 'neutral' },
};

const OTHER_COLUMNS: readonly Column<WaveRun>[] = [
  {
    id: 'outcome',
    label: 'Outcome',
    cell: ({ outcome }) => {
      const { label, tone } = OUTCOMES[outcome ?? 'running'];
      return <Badge tone={tone}>{label}</Badge>;
    },
  },
  { id: 'invited', label: 'Invited', right: true, cell: ({ invited }) => number(invited) },
  { id: 'accepted', label: 'Accepted', right: true, cell: ({ accepted }) => number(accepted) },
  { id: 'expired', label: 'Expired', right: true, wide: true, cell: ({ expired }) => number(expired) },
  { id: 'revoked', label: 'Revoked', right: true, wide: true, cell: ({ revoked }) => number(revoked) },
];

interface WaveRunsProps {
  runs: readonly WaveRun[] | undefined;
  /** Of the schedule, if there is one. */
  timeZone: string | undefined;
}

/** What each run did, and what became of its invites. */
export function WaveRuns({ runs, timeZone }: WaveRunsProps) {
  const planned: Column<WaveRun> = {
    id: 'at',
    label: 'Planned',
    cell: ({ scheduledAt }) => <RelativeTime at={scheduledAt} timeZone={timeZone} />,
  };
  return (
    <Table
      label="History"
      columns={[planned, ...OTHER_COLUMNS]}
      rows={runs}
      rowId={({ scheduledAt }) => scheduledAt}
      empty={<p className="px-5 pb-4 text-mute">It has not run yet.</p>}
    />
  );
}
