import { useQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { buttonClass } from '../../ui/button.tsx';
import { QueryProblem } from '../../ui/query-problem.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { errorsUrl } from './jobs.ts';
import { type BadRow, readBadRows } from './read-bad-rows.ts';

const SHOWN = 10;

const COLUMNS: Column<BadRow>[] = [
  { id: 'line', label: 'Line', cell: ({ line }) => <span className="tabular-nums">{line || '–'}</span> },
  {
    id: 'field',
    label: 'Field',
    className: 'max-w-40',
    cell: ({ field }) => (
      <span className="block truncate font-mono text-sm" title={field}>
        {field || '–'}
      </span>
    ),
  },
  { id: 'reason', label: 'Reason', cell: ({ reason }) => <span className="break-words">{reason}</span> },
];

/** The first rows that were not imported, and why. */
export function BadRows({ scope, jobId, count }: { scope: Scope; jobId: string; count: number }) {
  const url = errorsUrl(scope, jobId);
  const query = useQuery({ queryKey: ['bad-rows', jobId], queryFn: () => readBadRows(url, SHOWN) });
  return (
    <section className="rounded-lg ring-1 ring-line">
      <div className="flex flex-wrap items-center justify-between gap-2 px-5 py-3">
        <h3 className="font-medium">
          {count === 1 ? '1 bad row' : `${count.toLocaleString('en')} bad rows`}
          {count > SHOWN && <span className="font-normal text-mute"> · the first {SHOWN}</span>}
        </h3>
        <a href={url} download className={buttonClass('secondary', 'sm')}>
          <Download aria-hidden />
          Download bad rows
        </a>
      </div>
      <div className="border-t">
        <QueryProblem query={query}>
          <Table
            label="Bad rows"
            columns={COLUMNS}
            rows={query.data}
            rowId={({ line, field, reason }) => `${line} ${field} ${reason}`}
          />
        </QueryProblem>
      </div>
    </section>
  );
}
