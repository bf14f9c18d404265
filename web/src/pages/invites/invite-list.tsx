import { infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { InviteState } from '../../api/choices.ts';
import { api, call } from '../../api/client.ts';
import { type Invite, peopleKey } from '../../api/entries.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { capitalize } from '../../ui/capitalize.ts';
import { LoadMore } from '../../ui/load-more.tsx';
import { QueryProblem } from '../../ui/query-problem.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { MAIL_STATE_NAMES } from '../emails/mail-names.ts';
import { STATE_TONES } from '../emails/mails.ts';
import { InviteRowActions } from './invite-row-actions.tsx';

const TONES: Record<InviteState, Tone> = {
  open: 'violet',
  accepted: 'accent',
  expired: 'warn',
  revoked: 'neutral',
};

function InviteBadge({ state }: { state: InviteState }) {
  return <Badge tone={TONES[state]}>{capitalize(state)}</Badge>;
}

interface InviteFilter {
  state?: InviteState | undefined;
  entry?: string | undefined;
  /** Exact email, code or id. */
  search?: string | undefined;
}

export const invitesQuery = (scope: Scope, filter: InviteFilter) =>
  infiniteQueryOptions({
    queryKey: [...peopleKey(scope), 'invites', filter],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor }) =>
      call(
        api.GET('/admin/v1/waitlists/{waitlistId}/invites', {
          params: {
            path: { waitlistId: scope.waitlistId },
            query: { environment: scope.environment, ...filter, cursor },
          },
        }),
      ),
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });

interface InviteListProps {
  scope: Scope;
  state?: InviteState | undefined;
  /** Only invites to this entry. Then the email is left out. */
  entry?: string;
  search?: string | undefined;
  onOpen?: (entryId: string) => void;
  empty: ReactNode;
}

export function InviteList({ scope, state, entry, search, onOpen, empty }: InviteListProps) {
  const query = useInfiniteQuery(invitesQuery(scope, { state, entry, search }));
  const person: Column<Invite> = {
    id: 'person',
    label: 'Person',
    className: 'max-w-64 max-md:w-full max-md:max-w-0',
    cell: ({ email, entryId, mail }) => (
      <span className="flex min-w-0 flex-col">
        <span className="truncate font-medium" dir="auto" title={email ?? undefined}>
          {email ?? <span className="text-mute italic">Erased person</span>}
        </span>
        {entryId === null && email !== null && <span className="text-sm text-mute">Not on the waitlist</span>}
        {mail?.state !== 'sent' && (
          <span className="text-sm text-mute md:hidden">
            {mail === null ? 'No email recorded' : `Email: ${MAIL_STATE_NAMES[mail.state].toLowerCase()}`}
          </span>
        )}
      </span>
    ),
  };
  const columns: Column<Invite>[] = [
    ...(entry === undefined ? [person] : []),
    { id: 'state', label: 'State', cell: (invite) => <InviteBadge state={invite.state} /> },
    {
      id: 'invited',
      label: 'Invited',
      wide: entry === undefined,
      cell: ({ createdAt }) => <RelativeTime at={createdAt} />,
    },
    {
      id: 'email',
      label: 'Email',
      wide: entry === undefined,
      cell: ({ mail }) => <InviteMail mail={mail} />,
    },
    { id: 'ends', label: 'Outcome', wide: true, cell: (invite) => <Ends invite={invite} /> },
    {
      id: 'actions',
      label: <span className="sr-only">Actions</span>,
      right: true,
      cell: (invite) => <InviteRowActions scope={scope} invite={invite} />,
    },
  ];
  return (
    <QueryProblem query={query}>
      <Table
        label="Invites"
        columns={columns}
        rows={query.data?.pages.flatMap(({ invites }) => invites)}
        rowId={({ id }) => id}
        onOpen={onOpen && (({ entryId }) => entryId && onOpen(entryId))}
        canOpen={({ entryId }) => entryId !== null}
        empty={empty}
      />
      <LoadMore query={query} />
    </QueryProblem>
  );
}

/** Whether its email reached the mail server. */
function InviteMail({ mail }: { mail: Invite['mail'] }) {
  if (mail === null) return <span className="text-mute">None recorded</span>;
  return (
    <span title={mail.error ?? undefined}>
      <Badge tone={STATE_TONES[mail.state]}>{MAIL_STATE_NAMES[mail.state]}</Badge>
    </span>
  );
}

function Ends({ invite: { state, acceptedAt, revokedAt, expiresAt } }: { invite: Invite }) {
  const [word, at] = {
    open: ['Expires', expiresAt],
    accepted: ['Accepted', acceptedAt],
    revoked: ['Revoked', revokedAt],
    expired: ['Expired', expiresAt],
  }[state] as [string, string | null];
  return (
    <span className="text-mute">
      {at === null ? 'Does not expire' : word} {at !== null && <RelativeTime at={at} />}
    </span>
  );
}
