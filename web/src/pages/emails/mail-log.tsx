import { useInfiniteQuery } from '@tanstack/react-query';
import { Inbox, MailX, RotateCw } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useLiveRefetch } from '../../api/live.tsx';
import { MAIL_KINDS, MAIL_STATES, type MailKind, type MailState } from '../../api/mail-choices.ts';
import { useMay } from '../../api/me.ts';
import { PRODUCTION } from '../../shell/waitlist-scope.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { LoadMore } from '../../ui/load-more.tsx';
import { QueryProblem } from '../../ui/query-problem.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { SearchBox } from '../../ui/search-box.tsx';
import { Select } from '../../ui/select.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { kindName, MAIL_STATE_NAMES } from './mail-names.ts';
import {
  isDue,
  type Mail,
  type MailFilter,
  type MailSource,
  mailsQuery,
  STATE_TONES,
  WAITING_MS,
} from './mails.ts';
import { RetryDialog } from './retry-dialog.tsx';

const ANY = 'any';
const STATES = [
  { value: ANY, label: 'All states' },
  ...MAIL_STATES.map((state) => ({ value: state as string, label: MAIL_STATE_NAMES[state] })),
];
const KINDS = [
  { value: ANY, label: 'All kinds' },
  ...MAIL_KINDS.map((kind) => ({ value: kind as string, label: kindName(kind) })),
];

const COLUMNS: Column<Mail>[] = [
  {
    id: 'to',
    label: 'To',
    className: 'max-w-72 max-md:w-full max-md:max-w-0',
    cell: ({ to }) => (
      <span className="block truncate font-medium" title={to ?? undefined}>
        {to ?? 'Erased or damaged'}
      </span>
    ),
  },
  { id: 'kind', label: 'Kind', wide: true, cell: ({ kind }) => kindName(kind) },
  {
    id: 'state',
    label: 'State',
    className: 'md:max-w-72',
    cell: ({ state, error }) => (
      <span className="flex min-w-0 items-center gap-2">
        <MailStateBadge state={state} />
        {error && (
          <span className="truncate text-sm text-danger max-md:hidden" title={error}>
            {error}
          </span>
        )}
      </span>
    ),
  },
  { id: 'attempts', label: 'Attempts', wide: true, right: true, cell: ({ attempts }) => attempts },
  { id: 'at', label: 'When', right: true, cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
];

interface MailLogProps {
  source: MailSource;
  filter: MailFilter;
  onFilter: (filter: MailFilter) => void;
  onOpen: (mailId: string) => void;
  /** Without a filter and without emails. */
  empty: ReactNode;
}

/** Emails of one source, newest first. */
export function MailLog({ source, filter, onFilter, onOpen, empty }: MailLogProps) {
  const query = useInfiniteQuery({
    ...mailsQuery(source, filter),
    refetchInterval: ({ state: { data } }) =>
      data?.pages.some((page) => page.mails.some(isDue)) ? WAITING_MS : false,
  });
  useLiveRefetch(source?.waitlistId, source?.environment ?? '', query.refetch);
  const mails = query.data?.pages.flatMap((page) => page.mails);
  const filtered = Object.values(filter).some((one) => one !== undefined);
  const mayRetry = useMay('admin') && source?.environment === PRODUCTION;
  const [retrying, setRetrying] = useState(false);
  return (
    <Card flush>
      <div className="flex flex-wrap items-center gap-2 border-b px-5 py-3">
        <MailFilters isToPeople={source !== null} filter={filter} onFilter={onFilter} />
        {mayRetry && mails?.some(({ state }) => state === 'failed') && (
          <Button className="ml-auto" icon={<RotateCw aria-hidden />} onClick={() => setRetrying(true)}>
            Retry failed
          </Button>
        )}
      </div>
      {retrying && source && (
        <RetryDialog
          scope={source}
          kind={filter.kind}
          onClose={() => setRetrying(false)}
          onDone={() => query.refetch()}
        />
      )}
      <QueryProblem query={query}>
        <Table
          label="Emails"
          columns={COLUMNS}
          rows={mails}
          rowId={({ id }) => id}
          onOpen={({ id }) => onOpen(id)}
          empty={
            filtered ? (
              <EmptyState
                icon={<MailX aria-hidden />}
                title="Nothing matches"
                action={<Button onClick={() => onFilter({})}>Clear filters</Button>}
              >
                {filter.to === undefined
                  ? 'No email is of this kind and in this state.'
                  : 'No email to exactly this address is stored. Check how it is written.'}
              </EmptyState>
            ) : (
              <EmptyState icon={<Inbox aria-hidden />} title="No emails yet">
                {empty}
              </EmptyState>
            )
          }
        />
        <LoadMore query={query} />
      </QueryProblem>
    </Card>
  );
}

interface MailFiltersProps extends Pick<MailLogProps, 'filter' | 'onFilter'> {
  /** Those to operators cannot be searched by address or kind. */
  isToPeople: boolean;
}

function MailFilters({ isToPeople, filter, onFilter }: MailFiltersProps) {
  return (
    <>
      {isToPeople && (
        <div className="min-w-0 max-sm:w-full">
          <SearchBox
            text={filter.to ?? ''}
            onSearch={(to) => onFilter(to ? { to } : {})}
            label="Find emails by exact address"
            placeholder="Exact address"
          />
        </div>
      )}
      <Select
        label="State"
        className="w-36!"
        value={filter.state ?? ANY}
        options={STATES}
        onChange={(state) =>
          onFilter({ ...filter, to: undefined, state: state === ANY ? undefined : (state as MailState) })
        }
      />
      {isToPeople && (
        <Select
          label="Kind"
          className="w-40!"
          value={filter.kind ?? ANY}
          options={KINDS}
          onChange={(kind) =>
            onFilter({ ...filter, to: undefined, kind: kind === ANY ? undefined : (kind as MailKind) })
          }
        />
      )}
    </>
  );
}

export function MailStateBadge({ state }: { state: MailState }) {
  return <Badge tone={STATE_TONES[state]}>{MAIL_STATE_NAMES[state]}</Badge>;
}
