import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { CalendarClock, Plus } from 'lucide-react';
import { useState } from 'react';
import { useMay } from '../../api/me.ts';
import { environmentSearch, useScope } from '../../shell/waitlist-scope.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { capitalize } from '../../ui/capitalize.ts';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { LoadMore } from '../../ui/load-more.tsx';
import { number } from '../../ui/number.ts';
import { PageHeader } from '../../ui/page-header.tsx';
import { QueryProblem } from '../../ui/query-problem.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { WaveForm } from './wave-form.tsx';
import { planInWords, STATE_TONES, type Wave, wavesKey, wavesQuery } from './waves.ts';

const COLUMNS: readonly Column<Wave>[] = [
  {
    id: 'name',
    label: 'Wave',
    className: 'max-w-96 max-md:w-full max-md:max-w-0',
    cell: (wave) => (
      <span className="flex min-w-0 flex-col">
        <span className="truncate font-medium" title={wave.name}>
          {wave.name}
        </span>
        <span className="truncate text-sm text-mute" title={planInWords(wave)}>
          {planInWords(wave)}
        </span>
      </span>
    ),
  },
  {
    id: 'state',
    label: 'State',
    cell: ({ state }) => <Badge tone={STATE_TONES[state]}>{capitalize(state)}</Badge>,
  },
  {
    id: 'invited',
    label: 'Invited',
    right: true,
    wide: true,
    cell: ({ invited }) => (invited === null ? '–' : number(invited)),
  },
  {
    id: 'joined',
    label: 'Joined',
    right: true,
    wide: true,
    cell: ({ joined, untilJoined }) =>
      untilJoined === null ? number(joined) : `${number(joined)} of ${number(untilJoined)}`,
  },
  {
    id: 'next',
    label: 'Next run',
    right: true,
    wide: true,
    cell: ({ nextRunAt, schedule }) => <RelativeTime at={nextRunAt} timeZone={schedule?.timeZone} />,
  },
];

/** Plans of invites: those to come, and those that are over. */
export function WavesPage() {
  const scope = useScope();
  const mayInvite = useMay('support');
  const client = useQueryClient();
  const navigate = useNavigate();
  const query = useInfiniteQuery(wavesQuery(scope));
  const [creating, setCreating] = useState(false);
  const waves = query.data?.pages.flatMap((page) => page.waves);
  const open = (waveId: string) =>
    void navigate({
      to: '/waitlists/$waitlistId/waves/$waveId',
      params: { waitlistId: scope.waitlistId, waveId },
      search: environmentSearch(scope.environment),
    });
  const add = mayInvite && (
    <Button look="primary" icon={<Plus aria-hidden />} onClick={() => setCreating(true)}>
      Plan a wave
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Waves"
        about="Plans that invite people automatically, up to the number you can take."
        actions={waves?.length !== 0 && add}
      />
      <Card flush>
        <QueryProblem query={query}>
          <Table
            label="Waves"
            columns={COLUMNS}
            rows={waves}
            rowId={({ id }) => id}
            onOpen={({ id }) => open(id)}
            empty={
              <EmptyState icon={<CalendarClock aria-hidden />} title="No waves yet" action={add}>
                Invite 500 people each weekday, keep 200 invites open, or let a segment in on launch day.
                Expired invites give their places to the next in line.
              </EmptyState>
            }
          />
          <LoadMore query={query} />
        </QueryProblem>
      </Card>
      {creating && (
        <WaveForm
          scope={scope}
          onClose={() => setCreating(false)}
          onSaved={async ({ id }) => {
            await client.invalidateQueries({ queryKey: wavesKey(scope) });
            open(id);
          }}
        />
      )}
    </>
  );
}
