import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Ticket } from 'lucide-react';
import { nameOf } from '../../api/entries.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { capitalize } from '../../ui/capitalize.ts';
import { CopyField } from '../../ui/copy-button.tsx';
import { Drawer } from '../../ui/dialog.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { LoadMore } from '../../ui/load-more.tsx';
import { number } from '../../ui/number.ts';
import { Progress } from '../../ui/progress.tsx';
import { QueryProblem } from '../../ui/query-problem.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { SkeletonRows } from '../../ui/skeleton.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { type Code, codeQuery, effectOf, nameOfCode, usesQuery } from './codes.ts';

interface CodeDrawerProps {
  scope: Scope;
  /** Closed without one. */
  codeId: string | undefined;
  onClose: () => void;
  /** Shows a person. */
  onOpen: (entryId: string) => void;
}

/** A code, and who came with it. */
export function CodeDrawer({ scope, codeId, onClose, onOpen }: CodeDrawerProps) {
  const query = useQuery({ ...codeQuery(scope, codeId ?? ''), enabled: codeId !== undefined });
  const code = query.data;
  return (
    <Drawer
      open={codeId !== undefined}
      onClose={onClose}
      title={<span className="font-mono">{code ? nameOfCode(code) : 'Code'}</span>}
    >
      <QueryProblem query={query}>
        {code ? <Details scope={scope} code={code} onOpen={onOpen} /> : <SkeletonRows flush />}
      </QueryProblem>
    </Drawer>
  );
}

function Details({ scope, code, onOpen }: Pick<CodeDrawerProps, 'scope' | 'onOpen'> & { code: Code }) {
  const { used, limit, expiresAt, tag, url, does } = code;
  return (
    <div className="flex flex-col gap-6">
      {url !== null ? (
        <CopyField text={url} what="link" />
      ) : (
        code.code !== null && <CopyField text={code.code} what="code" />
      )}
      <div className="flex flex-col gap-2">
        <p className="tabular-nums">
          <strong className="font-semibold">{number(used)}</strong> of {number(limit)} used
        </p>
        <Progress label="Used" value={used} max={limit} />
        <p className="text-sm text-mute">
          {does === 'advance'
            ? `Whoever joins the waitlist with it counts as having joined ${effectOf(code)}. `
            : 'Whoever has it gets in at once. '}
          {expiresAt === null ? (
            'Does not expire.'
          ) : (
            <>
              {Date.parse(expiresAt) <= Date.now() ? 'Expired' : 'Expires'} <RelativeTime at={expiresAt} />.
            </>
          )}
          {tag !== null && (
            <>
              {' '}
              Tag: <span dir="auto">{tag}</span>
            </>
          )}
        </p>
      </div>
      <section className="flex flex-col gap-2">
        <h3 className="font-semibold">Who came with it</h3>
        <Uses scope={scope} code={code} onOpen={onOpen} />
      </section>
    </div>
  );
}

function Uses({ scope, code, onOpen }: Pick<CodeDrawerProps, 'scope' | 'onOpen'> & { code: Code }) {
  const query = useInfiniteQuery(usesQuery(scope, code.id));
  type Use = NonNullable<typeof query.data>['pages'][number]['uses'][number];
  const columns: readonly Column<Use>[] = [
    {
      id: 'who',
      label: 'Person',
      className: 'w-full max-w-0',
      cell: ({ entry, returnedAt }) => (
        <span className="flex min-w-0 flex-col">
          <span className="truncate font-medium" title={nameOf(entry)} dir="auto">
            {nameOf(entry)}
          </span>
          <span className="truncate text-sm text-mute">
            {returnedAt === null ? capitalize(entry.status) : 'Removed, so the place is free again'}
          </span>
        </span>
      ),
    },
    {
      id: 'used',
      label: 'Used',
      right: true,
      className: 'whitespace-nowrap',
      cell: ({ usedAt }) => <RelativeTime at={usedAt} />,
    },
  ];
  return (
    <QueryProblem query={query}>
      <div className="overflow-hidden rounded-md ring-1 ring-line">
        <Table
          label="Who came with it"
          columns={columns}
          rows={query.data?.pages.flatMap(({ uses }) => uses)}
          rowId={({ entry }) => entry.id}
          onOpen={({ entry }) => onOpen(entry.id)}
          empty={
            <EmptyState icon={<Ticket aria-hidden />} title="Nobody yet">
              {code.does === 'admit'
                ? 'Share the link, or have people enter the code at your sign-up.'
                : code.url === null
                  ? 'Name the code in the signups of your backend. While the form is on, there is a link to share.'
                  : 'Share the link to the form, or name the code in the signups of your backend.'}
            </EmptyState>
          }
        />
        <LoadMore query={query} />
      </div>
    </QueryProblem>
  );
}
