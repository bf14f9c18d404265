import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Ellipsis, KeyRound, LogOut, Trash2, UserCog, UserPlus } from 'lucide-react';
import { useState } from 'react';
import { api, call } from '../../api/client.ts';
import { instanceQuery } from '../../api/instance.ts';
import { mayActAs, type Operator, useMe } from '../../api/me.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Menu, MenuItem, MenuLine } from '../../ui/menu.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { QueryProblem } from '../../ui/query-problem.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { toast } from '../../ui/toast.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import { LinkDialog, type OneTimeLink } from './link-dialog.tsx';
import { operatorsQuery } from './operators-query.ts';
import { RemoveDialog } from './remove-dialog.tsx';
import { RoleDialog } from './role-dialog.tsx';

type Open =
  | { kind: 'invite' }
  | { kind: 'link'; link: OneTimeLink; email: string }
  | { kind: 'role' | 'reset' | 'sessions' | 'remove'; operator: Operator };

/** Who can sign in to this installation. */
export function TeamPage() {
  const me = useMe();
  const client = useQueryClient();
  const query = useQuery(operatorsQuery);
  const hasMailServer = useQuery(instanceQuery).data?.emails.smtp === 'configured';
  const [open, setOpen] = useState<Open | null>(null);
  const close = () => setOpen(null);
  const refresh = () => client.invalidateQueries({ queryKey: operatorsQuery.queryKey });
  const path = (operator: Operator) => ({ params: { path: { operatorId: operator.id } } });

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
          <Menu
            trigger={
              <IconButton label={`Actions for ${operator.email || operator.id}`} size="sm">
                <Ellipsis aria-hidden />
              </IconButton>
            }
          >
            <MenuItem icon={<UserCog aria-hidden />} onClick={() => setOpen({ kind: 'role', operator })}>
              Change role
            </MenuItem>
            {operator.state !== 'damaged' && (
              <MenuItem icon={<KeyRound aria-hidden />} onClick={() => setOpen({ kind: 'reset', operator })}>
                {operator.state === 'invited' ? 'New invitation link' : 'Password reset link'}
              </MenuItem>
            )}
            <MenuItem icon={<LogOut aria-hidden />} onClick={() => setOpen({ kind: 'sessions', operator })}>
              Sign out everywhere
            </MenuItem>
            <MenuLine />
            <MenuItem
              icon={<Trash2 aria-hidden />}
              danger
              onClick={() => setOpen({ kind: 'remove', operator })}
            >
              Remove
            </MenuItem>
          </Menu>
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
      <Card flush>
        <QueryProblem query={query}>
          <Table label="Team" columns={columns} rows={query.data} rowId={({ id }) => id} />
        </QueryProblem>
      </Card>
      {open?.kind === 'invite' && (
        <InviteDialog
          onClose={close}
          onInvited={async ({ operator, link }) => {
            await refresh();
            setOpen({ kind: 'link', link, email: operator.email });
          }}
        />
      )}
      {open?.kind === 'link' && <LinkDialog {...open} onClose={close} />}
      {open?.kind === 'role' && <RoleDialog operator={open.operator} onClose={close} onChanged={refresh} />}
      {open?.kind === 'reset' && (
        <ConfirmDialog
          open
          onClose={() => setOpen((now) => (now?.kind === 'reset' ? null : now))}
          title={
            open.operator.state === 'invited'
              ? 'Create a new invitation link?'
              : 'Create a password reset link?'
          }
          about={
            hasMailServer
              ? `${open.operator.email} is emailed the link, and you get it, too. Earlier links stop working.`
              : `You get a link to pass on to ${open.operator.email}. Earlier links stop working.`
          }
          action="Create link"
          onConfirm={async () => {
            const link = await call(api.POST('/admin/v1/operators/{operatorId}/link', path(open.operator)));
            setOpen({ kind: 'link', link, email: open.operator.email });
          }}
        />
      )}
      {open?.kind === 'sessions' && (
        <ConfirmDialog
          open
          onClose={close}
          title={`Sign ${open.operator.name || open.operator.email} out everywhere?`}
          about="All of their sessions end at once. They can sign in again."
          action="Sign out"
          onConfirm={async () => {
            const { ended } = await call(
              api.DELETE('/admin/v1/operators/{operatorId}/sessions', path(open.operator)),
            );
            toast(ended === 1 ? 'Ended 1 session' : `Ended ${ended} sessions`);
          }}
        />
      )}
      {open?.kind === 'remove' && (
        <RemoveDialog operator={open.operator} onClose={close} onRemoved={refresh} />
      )}
    </>
  );
}

function StateBadge({ state }: Pick<Operator, 'state'>) {
  if (state === 'invited') return <Badge tone="warn">Invited</Badge>;
  return state === 'damaged' ? <Badge tone="danger">Damaged</Badge> : <Badge tone="accent">Active</Badge>;
}
