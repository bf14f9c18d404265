import { useQuery } from '@tanstack/react-query';
import { UserPlus } from 'lucide-react';
import { useState } from 'react';
import { mayActAs, type Operator, useMe } from '../../api/me.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { QueryProblem } from '../../ui/query-problem.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { OperatorMenu } from './operator-menu.tsx';
import { operatorsQuery } from './operators-query.ts';
import { SupportCard } from './support-card.tsx';
import { type TeamDialog, TeamDialogs } from './team-dialogs.tsx';

/** Who can sign in to this installation. */
export function TeamPage() {
  const me = useMe();
  const query = useQuery(operatorsQuery);
  const [open, setOpen] = useState<TeamDialog | null>(null);

  const columns: Column<Operator>[] = [
    {
      id: 'name',
      label: 'Name',
      cell: ({ name, email, id, state }) => (
        <span className="flex min-w-0 flex-col">
          <span className="truncate font-medium" title={name || email || id}>
            {name || email || id} {id === me.id && <span className="font-normal text-mute">(you)</span>}
          </span>
          {name && (
            <span className="truncate text-sm text-mute" title={email}>
              {email}
            </span>
          )}
          {state === 'damaged' && <span className="text-sm text-danger md:hidden">Damaged</span>}
        </span>
      ),
      className: 'max-w-36 sm:max-w-64',
    },
    { id: 'role', label: 'Role', cell: ({ role }) => <span className="capitalize">{role}</span> },
    {
      id: 'state',
      label: 'Status',
      wide: true,
      cell: ({ state }) => <StateBadge state={state} />,
    },
    {
      id: 'two-factor',
      label: 'Two-factor',
      wide: true,
      cell: ({ twoFactor }) =>
        twoFactor ? <Badge tone="accent">On</Badge> : <span className="text-mute">Off</span>,
    },
    { id: 'added', label: 'Added', wide: true, cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
    {
      id: 'actions',
      label: <span className="sr-only">Actions</span>,
      right: true,
      cell: (operator) =>
        operator.id !== me.id && mayActAs(me.role, operator.role) ? (
          <OperatorMenu operator={operator} onAsk={setOpen} />
        ) : null,
    },
  ];

  return (
    <>
      <PageHeader
        title="Team"
        about="Everybody who can sign in to this dashboard, and what they may do."
        actions={
          <Button look="primary" icon={<UserPlus aria-hidden />} onClick={() => setOpen({ kind: 'invite' })}>
            Invite
          </Button>
        }
      />
      <div className="flex flex-col gap-6">
        <Card flush>
          <QueryProblem query={query}>
            <Table label="Team" columns={columns} rows={query.data} rowId={({ id }) => id} />
          </QueryProblem>
        </Card>
        <SupportCard />
      </div>
      {open && (
        <TeamDialogs
          open={open}
          onOpen={setOpen}
          // One that has opened another is already closed.
          onClose={() => setOpen((now) => (now === open ? null : now))}
        />
      )}
    </>
  );
}

function StateBadge({ state }: Pick<Operator, 'state'>) {
  if (state === 'invited') return <Badge tone="warn">Invited</Badge>;
  return state === 'damaged' ? <Badge tone="danger">Damaged</Badge> : <Badge tone="accent">Active</Badge>;
}
