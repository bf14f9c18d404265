import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Inbox, RotateCcw, Send } from 'lucide-react';
import { DELIVERY_STATES, type DeliveryState } from '../../api/choices.ts';
import { useLiveRefetch } from '../../api/live.tsx';
import { useScope } from '../../shell/waitlist-scope.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { LoadMore } from '../../ui/load-more.tsx';
import { QueryProblem } from '../../ui/query-problem.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { Select } from '../../ui/select.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { DeliveryStateBadge, stateName } from './endpoint-health.tsx';
import { type Delivery, deliveriesQuery, EVENTS, isDue, TEST_EVENT } from './webhooks.ts';

const PATH = '/waitlists/$waitlistId/webhooks/$endpointId';
const ANY = 'any';
const REFRESH_MS = 2_000;
const STATES = [
  { value: ANY, label: 'All states' },
  ...DELIVERY_STATES.map((state) => ({ value: state as string, label: stateName(state) })),
];
const KINDS = [
  { value: ANY, label: 'All events' },
  ...[...EVENTS.map(({ kind }) => kind), TEST_EVENT].map((kind) => ({ value: kind as string, label: kind })),
];

const NEXT: Column<Delivery> = {
  id: 'next',
  label: 'Next attempt',
  wide: true,
  right: true,
  cell: ({ nextAttemptAt }) => <RelativeTime at={nextAttemptAt} />,
};
const COLUMNS: Column<Delivery>[] = [
  {
    id: 'event',
    label: 'Event',
    cell: ({ kind }) => <code className="font-mono text-sm">{kind}</code>,
  },
  { id: 'state', label: 'State', cell: ({ state }) => <DeliveryStateBadge state={state} /> },
  { id: 'attempts', label: 'Attempts', right: true, wide: true, cell: ({ attempts }) => attempts },
  { id: 'at', label: 'When', right: true, cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
];

interface DeliveriesCardProps {
  endpointId: string;
  maySend: boolean;
  onOpen: (eventId: string) => void;
  onReplay: () => void;
  onTest: () => void;
}

export function DeliveriesCard({ endpointId, maySend, onOpen, onReplay, onTest }: DeliveriesCardProps) {
  const scope = useScope();
  const { state, event } = useSearch({ from: `/shell${PATH}` });
  const navigate = useNavigate({ from: PATH });
  const query = useInfiniteQuery({
    ...deliveriesQuery(scope, endpointId, { state, event }),
    refetchInterval: ({ state: { data } }) =>
      data?.pages.some(({ deliveries }) => deliveries.some(isDue)) ? REFRESH_MS : false,
  });
  useLiveRefetch(scope.waitlistId, scope.environment, query.refetch);
  const rows = query.data?.pages.flatMap(({ deliveries }) => deliveries);
  const columns = rows?.some(({ nextAttemptAt }) => nextAttemptAt !== null)
    ? COLUMNS.toSpliced(-1, 0, NEXT)
    : COLUMNS;
  const filtered = state !== undefined || event !== undefined;
  const filter = (change: Partial<DeliveryFilter>) =>
    void navigate({ search: (now) => ({ ...now, ...change }) });
  return (
    <Card
      flush
      title="Deliveries"
      actions={
        <>
          <DeliveryFilters state={state} event={event} onChange={filter} />
          {maySend && (
            <Button icon={<RotateCcw aria-hidden />} onClick={onReplay}>
              Replay failed
            </Button>
          )}
        </>
      }
    >
      <QueryProblem query={query}>
        <Table
          label="Deliveries"
          columns={columns}
          rows={rows}
          rowId={(each) => each.event}
          onOpen={(each) => onOpen(each.event)}
          empty={
            filtered ? (
              <EmptyState
                icon={<Inbox aria-hidden />}
                title="Nothing matches"
                action={
                  <Button onClick={() => filter({ state: undefined, event: undefined })}>
                    Clear filters
                  </Button>
                }
              >
                No delivery is in this state, or about this event.
              </EmptyState>
            ) : (
              <EmptyState
                icon={<Send aria-hidden />}
                title="Nothing sent yet"
                action={
                  maySend && (
                    <Button look="primary" onClick={onTest}>
                      Send test event
                    </Button>
                  )
                }
              >
                Deliveries appear here as things happen on the waitlist.
                {maySend && ' A test event shows whether your endpoint answers.'}
              </EmptyState>
            )
          }
        />
        <LoadMore query={query} />
      </QueryProblem>
    </Card>
  );
}

interface DeliveryFilter {
  state: DeliveryState | undefined;
  event: string | undefined;
}

interface DeliveryFiltersProps extends DeliveryFilter {
  onChange: (change: Partial<DeliveryFilter>) => void;
}

function DeliveryFilters({ state, event, onChange }: DeliveryFiltersProps) {
  return (
    <>
      <Select
        label="State"
        className="w-36! max-md:w-32!"
        value={state ?? ANY}
        options={STATES}
        onChange={(next) => onChange({ state: next === ANY ? undefined : (next as DeliveryState) })}
      />
      <Select
        label="Event"
        className="w-44!"
        value={event ?? ANY}
        options={KINDS}
        onChange={(next) => onChange({ event: next === ANY ? undefined : next })}
      />
    </>
  );
}
