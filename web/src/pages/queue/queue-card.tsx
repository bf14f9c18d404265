import { ArrowUp } from 'lucide-react';
import { type CSSProperties, useState } from 'react';
import { ApiError } from '../../api/client.ts';
import { people } from '../../api/entries.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { GiantTable } from '../../ui/giant-table.tsx';
import { GiantTableLoading } from '../../ui/giant-table-loading.tsx';
import { number } from '../../ui/number.ts';
import { QueryProblem } from '../../ui/query-problem.tsx';
import { entryColumns, leastWidth } from './entry-columns.tsx';
import { JumpTo } from './jump-to.tsx';
import { NobodyHere, NobodyYet, NoMatch } from './queue-empty.tsx';
import type { QueueSearch } from './queue-search.ts';
import { NO_SEGMENT } from './segment.ts';
import type { QueueList } from './use-queue-list.ts';

interface QueueCardProps {
  scope: Scope;
  list: QueueList;
  /** Metadata keys with a column. */
  metadataColumns: readonly string[];
  /** Number of the row to scroll to, as the address has it. */
  at: string | undefined;
  onChange: (change: Partial<QueueSearch>, replace?: boolean) => void;
  onFilter: () => void;
}

/** The people themselves, with their number below. */
export function QueueCard({ scope, list, metadataColumns, at, onChange, onFilter }: QueueCardProps) {
  const { rows, fresh } = list;
  const [jumps, setJumps] = useState(0);
  const jump = (to: string) => {
    onChange({ at: to }, true);
    setJumps(jumps + 1);
  };
  const columns = entryColumns({
    keys: metadataColumns,
    count: list.waiting,
    status: list.wanted ? undefined : list.status,
  });
  const isLooking = list.searched?.state === 'looking';
  const table = () => {
    if (list.isLoading || (isLooking && rows.count === 0)) return <GiantTableLoading columns={columns} />;
    if (rows.count === 0 || (list.everyone === 0 && !list.wanted))
      return <Nobody scope={scope} list={list} onChange={onChange} onFilter={onFilter} />;
    return (
      <GiantTable
        key={list.key}
        label="Queue"
        columns={columns}
        count={rows.count}
        rowAt={rows.rowAt}
        onShow={list.show}
        onOpen={({ id }) => onChange({ entry: id, about: undefined })}
        goTo={at === undefined ? undefined : Math.min(Number(at), rows.count) - 1}
        jumps={jumps}
        least={leastWidth(metadataColumns)}
        className="h-[min(calc(var(--rows)*2.75rem+2.3125rem),max(20rem,calc(100dvh-20.5rem-var(--above)-var(--band))))]"
      />
    );
  };
  return (
    <Card flush className="overflow-hidden">
      <div
        className="relative"
        style={{ '--rows': rows.count, '--above': list.searched ? '3.5rem' : '0rem' } as CSSProperties}
      >
        <QueryProblem query={list.problem}>{table()}</QueryProblem>
        {fresh.count > 0 && (
          <div className="pointer-events-none absolute inset-x-0 top-12 z-20 flex justify-center">
            <Button
              look="primary"
              size="sm"
              icon={<ArrowUp aria-hidden />}
              className="pointer-events-auto rounded-full! shadow-lg"
              onClick={() => {
                fresh.show();
                jump('1');
              }}
            >
              {number(fresh.count)} new
            </Button>
          </div>
        )}
      </div>
      {!list.isLoading && !list.problem.isError && rows.count > 0 && <Footer list={list} onJump={jump} />}
    </Card>
  );
}

/** Why there are no rows, and what to do about it. */
function Nobody({
  scope,
  list,
  onChange,
  onFilter,
}: Pick<QueueCardProps, 'scope' | 'list' | 'onChange' | 'onFilter'>) {
  const { wanted } = list;
  if (wanted)
    return (
      <NoMatch
        text={wanted}
        isWhole={list.searched?.state === 'done'}
        onFilter={() => {
          onChange({ search: undefined });
          onFilter();
        }}
        onClear={() => onChange({ search: undefined })}
      />
    );
  if (list.everyone === 0) return <NobodyYet scope={scope} />;
  return <NobodyHere tab={list.tab} onClear={list.isFiltered ? () => onChange(NO_SEGMENT) : undefined} />;
}

/** How many there are, and a way to one of them where rows have numbers. */
function Footer({ list, onJump }: { list: QueueList; onJump: (at: string) => void }) {
  const { isNumbered, rows, pagedRows, searched, tab } = list;
  return (
    <div className="flex min-h-12 flex-wrap items-center justify-between gap-3 border-t px-5 py-1.5 text-sm text-mute max-md:px-4">
      <span role="status">
        {isNumbered || searched
          ? people(isNumbered ? rows.count : rows.loaded.length)
          : matching(pagedRows.total, pagedRows.loaded.length)}
      </span>
      {!isNumbered && !searched && pagedRows.restError !== undefined && (
        <span role="alert" className="flex flex-wrap items-center gap-x-3 gap-y-1 text-danger">
          The rest could not be loaded. {ApiError.from(pagedRows.restError).sentence}
          <Button size="sm" onClick={pagedRows.retryRest}>
            Try again
          </Button>
        </span>
      )}
      {isNumbered && (
        <JumpTo
          count={rows.count}
          label={tab === 'waiting' ? 'Go to position' : 'Go to row'}
          onJump={onJump}
        />
      )}
    </div>
  );
}

function matching(total: number | null | undefined, loaded: number): string {
  return total === null ? 'More than 10,000 people match' : people(total ?? loaded);
}
