import { useQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import type { Job } from '../../api/jobs.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { buttonClass } from '../../ui/button.tsx';
import { QueryProblem } from '../../ui/query-problem.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { badRowsUrl, errorsUrl, isFresh } from './jobs.ts';
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
export function BadRows({ scope, job, count }: { scope: Scope; job: Job; count: number }) {
  const url = errorsUrl(scope, job.id);
  const query = useQuery({ queryKey: ['bad-rows', job.id], queryFn: () => readBadRows(url, SHOWN) });
  const hasContent = isFresh(job);
  return (
    <section className="rounded-lg ring-1 ring-line">
      <div className="flex flex-wrap items-center justify-between gap-2 px-5 py-3">
        <h3 className="font-medium">
          {count === 1 ? '1 bad row' : `${count.toLocaleString('en')} bad rows`}
          {count > SHOWN && <span className="font-normal text-mute"> · the first {SHOWN}</span>}
        </h3>
        <a
          href={hasContent ? badRowsUrl(scope, job.id) : url}
          download
          className={buttonClass('secondary', 'sm')}
        >
          <Download aria-hidden />
          {hasContent ? 'Download bad rows' : 'Download reasons'}
        </a>
      </div>
      {hasContent && (
        <p className="px-5 pb-3 text-sm text-mute">
          The file has their content, for 24 hours. Correct it and import it: nobody is added twice.
        </p>
      )}
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
