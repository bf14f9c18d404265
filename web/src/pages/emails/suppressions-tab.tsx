import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { MailCheck } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { Schemas } from '../../api/client.ts';
import { useMay } from '../../api/me.ts';
import { environmentSearch, type Scope } from '../../shell/waitlist-scope.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { cx } from '../../ui/cx.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { LoadMore } from '../../ui/load-more.tsx';
import { QueryProblem } from '../../ui/query-problem.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { toast } from '../../ui/toast.tsx';
import { removeSuppression, suppressionsQuery } from './mails.ts';

type Suppression = Schemas['Suppression'];

const REASONS: Record<Suppression['reason'], ReactNode> = {
  bounced: <Badge tone="danger">Bounced</Badge>,
  complained: <Badge tone="danger">Complained</Badge>,
  unsubscribed: <Badge>Unsubscribed</Badge>,
};

const columnsOf = ({ waitlistId, environment }: Scope): Column<Suppression>[] => [
  {
    id: 'address',
    label: 'Address',
    className: 'max-w-72 max-md:w-full max-md:max-w-0',
    cell: ({ hash, email, entryId }) =>
      entryId === null ? (
        <span className={cx('block truncate', email === null && 'text-mute')} title={email ?? `Hash ${hash}`}>
          {email ?? 'Not on the waitlist'}
        </span>
      ) : (
        <Link
          to="/waitlists/$waitlistId/queue"
          params={{ waitlistId }}
          search={{ ...environmentSearch(environment), tab: 'all', entry: entryId }}
          className="block truncate rounded-sm font-medium underline-offset-4 hover:underline"
          title={email ?? undefined}
        >
          {email ?? 'Damaged'}
        </Link>
      ),
  },
  {
    id: 'reason',
    label: 'Reason',
    cell: ({ reason }) => REASONS[reason],
  },
  { id: 'since', label: 'Since', right: true, cell: ({ since }) => <RelativeTime at={since} /> },
];

/** Addresses that get no emails. */
export function SuppressionsTab({ scope }: { scope: Scope }) {
  const client = useQueryClient();
  const mayManage = useMay('admin');
  const query = useInfiniteQuery(suppressionsQuery(scope));
  const suppressions = query.data?.pages.flatMap((page) => page.suppressions);
  const [removing, setRemoving] = useState(false);
  const [email, setEmail] = useState('');
  return (
    <Card
      flush
      title="Suppressions"
      about="Addresses that bounced, complained or unsubscribed. Of people who are neither on the waitlist nor invited, only a hash is stored."
      actions={
        mayManage &&
        suppressions !== undefined &&
        suppressions.length > 0 && (
          <Button
            onClick={() => {
              setEmail('');
              setRemoving(true);
            }}
          >
            Remove an address
          </Button>
        )
      }
    >
      <QueryProblem query={query}>
        <Table
          label="Suppressions"
          columns={columnsOf(scope)}
          rows={suppressions}
          rowId={({ hash, reason }) => `${hash} ${reason}`}
          empty={
            <EmptyState icon={<MailCheck aria-hidden />} title="No suppressed addresses">
              When an email bounces or a person complains or unsubscribes, their address gets no more emails
              and appears here.
            </EmptyState>
          }
        />
        <LoadMore query={query} />
      </QueryProblem>
      {removing && (
        <FormDialog
          title="Remove a suppressed address"
          about={`It gets emails of ${scope.waitlistId} in ${scope.environment} again.`}
          action="Remove"
          onClose={() => setRemoving(false)}
          onSubmit={async () => {
            await removeSuppression(scope, email.trim());
            await client.invalidateQueries({ queryKey: suppressionsQuery(scope).queryKey });
            setRemoving(false);
            toast('The address gets emails again');
          }}
        >
          {(problem) => (
            <Field label="Email" error={problem('email')}>
              <Input
                required
                type="email"
                autoComplete="off"
                value={email}
                onChange={(event) => setEmail(event.target.value)}
              />
            </Field>
          )}
        </FormDialog>
      )}
    </Card>
  );
}
