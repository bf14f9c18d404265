import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { ScrollText, X } from 'lucide-react';
import { api, call } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Combobox } from '../../ui/combobox.tsx';
import { Drawer } from '../../ui/dialog.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { LoadMore } from '../../ui/load-more.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { QueryProblem } from '../../ui/query-problem.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { ACTION_OPTIONS, type Action, actionName } from './actions.ts';
import { type AuditRecord, RecordDetails } from './record-details.tsx';

const ANY = 'any';
const ACTIONS = [{ value: ANY, label: 'All actions' }, ...ACTION_OPTIONS];
/** Filters that come from a record. */
const REFERENCES = [
  ['actor', 'By'],
  ['object', 'On'],
] as const;

/** Who did what. */
export function AuditPage() {
  const { record: opened, ...filter } = useSearch({ from: '/shell/instance/audit' });
  const navigate = useNavigate({ from: '/instance/audit' });
  const query = useInfiniteQuery({
    queryKey: ['audit', filter],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam }) =>
      call(
        api.GET('/admin/v1/audit', {
          params: { query: { ...filter, action: filter.action as Action, cursor: pageParam, limit: 50 } },
        }),
      ),
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });
  const records = query.data?.pages.flatMap((page) => page.records);
  const open = (record: string | undefined) =>
    void navigate({ search: (now) => ({ ...now, record }), replace: record === undefined });
  const only = (search: Partial<typeof filter>) => void navigate({ search });
  const chosen = records?.find(({ number }) => String(number) === opened);

  const columns: Column<AuditRecord>[] = [
    {
      id: 'action',
      label: 'Action',
      className: 'max-md:max-w-52',
      cell: (record) => (
        <span className="flex flex-col">
          <span className="truncate font-medium">{actionName(record)}</span>
          <span className="truncate text-sm text-mute md:hidden">
            {record.actor.name ?? record.actor.kind}
          </span>
        </span>
      ),
    },
    {
      id: 'object',
      label: 'On',
      wide: true,
      className: 'max-w-56',
      cell: ({ object }) => <Cut text={object ? (object.name ?? object.id ?? object.kind) : '–'} />,
    },
    {
      id: 'actor',
      label: 'By',
      wide: true,
      className: 'max-w-48',
      cell: ({ actor }) => <Cut text={actor.name ?? actor.kind} />,
    },
    { id: 'at', label: 'When', right: true, cell: ({ at }) => <RelativeTime at={at} /> },
  ];
  return (
    <>
      <PageHeader
        title="Audit"
        about="Every change by a person, a token or the command line. Records are chained: none can be changed unnoticed."
      />
      <div className="flex flex-wrap items-center gap-2">
        <Combobox
          label="Action"
          placeholder="Search actions…"
          className="w-60!"
          value={filter.action ?? ANY}
          options={ACTIONS}
          onChange={(next) => next && only({ ...filter, action: next === ANY ? undefined : next })}
        />
        {REFERENCES.map(
          ([name, label]) =>
            filter[name] !== undefined && (
              <Button
                key={name}
                icon={<X aria-hidden />}
                aria-label={`Remove the filter ${label} ${filter[name]}`}
                onClick={() => only({ ...filter, [name]: undefined })}
              >
                <span className="max-w-64 truncate">
                  {label} {filter[name]}
                </span>
              </Button>
            ),
        )}
      </div>
      <Card flush>
        <QueryProblem query={query}>
          <Table
            label="Audit trail"
            columns={columns}
            rows={records}
            rowId={({ number }) => String(number)}
            onOpen={({ number }) => open(String(number))}
            empty={
              <EmptyState icon={<ScrollText aria-hidden />} title="No records">
                Nothing matches this filter.
              </EmptyState>
            }
          />
          <LoadMore query={query} />
        </QueryProblem>
      </Card>
      <Drawer
        open={chosen !== undefined}
        onClose={() => open(undefined)}
        title={chosen ? actionName(chosen) : ''}
      >
        {chosen && <RecordDetails record={chosen} onFilter={only} />}
      </Drawer>
    </>
  );
}

function Cut({ text }: { text: string }) {
  return (
    <span className="block truncate" title={text}>
      {text}
    </span>
  );
}
