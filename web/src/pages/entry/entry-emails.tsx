import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Mail } from 'lucide-react';
import { api, call } from '../../api/client.ts';
import { peopleKey } from '../../api/entries.ts';
import { useWhyNot } from '../../api/me.ts';
import { environmentSearch } from '../../shell/waitlist-scope.ts';
import { Badge } from '../../ui/badge.tsx';
import { DimmableButton } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { LoadMore } from '../../ui/load-more.tsx';
import { QueryProblem } from '../../ui/query-problem.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { Table } from '../../ui/table.tsx';
import { toastError } from '../../ui/toast.tsx';
import { useAct } from '../../ui/use-act.ts';
import { kindName, MAIL_STATE_NAMES } from '../emails/mail-names.ts';
import { resendMail, STATE_TONES } from '../emails/mails.ts';
import { toastResent } from '../emails/toast-mailed.ts';
import type { AboutEntry } from './about-entry.ts';
import { InDrawer } from './in-drawer.tsx';

/** Emails to this person. */
export function EntryEmails({ scope, entry }: AboutEntry) {
  const client = useQueryClient();
  const whyNotResend = useWhyNot('send emails again', 'admin', 'resend');
  const path = { waitlistId: scope.waitlistId };
  const queryKey = [...peopleKey(scope), 'emails', entry.id];
  const query = useInfiniteQuery({
    queryKey,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor }) =>
      call(
        api.GET('/admin/v1/waitlists/{waitlistId}/mails', {
          params: { path, query: { environment: scope.environment, entry: entry.id, cursor } },
        }),
      ),
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });
  const resend = useAct(async (mailId: string) => {
    try {
      const { mailable } = await resendMail(scope, mailId);
      await client.invalidateQueries({ queryKey });
      toastResent(mailable);
    } catch (error) {
      toastError(error);
    }
  });
  return (
    <InDrawer>
      <QueryProblem query={query}>
        <Table
          label="Emails"
          rows={query.data?.pages.flatMap(({ mails }) => mails)}
          rowId={({ id }) => id}
          columns={[
            {
              id: 'kind',
              label: 'Email',
              className: 'max-w-44',
              cell: ({ id, kind, error }) => (
                <span className="flex flex-col">
                  <Link
                    to="/waitlists/$waitlistId/emails"
                    params={path}
                    search={{ ...environmentSearch(scope.environment), tab: 'log', mail: id }}
                    className="self-start truncate rounded-sm font-medium underline-offset-4 hover:underline"
                  >
                    {kindName(kind)}
                  </Link>
                  {error && (
                    <span className="truncate text-sm text-danger" title={error}>
                      {error}
                    </span>
                  )}
                </span>
              ),
            },
            {
              id: 'state',
              label: 'State',
              cell: ({ state }) => <Badge tone={STATE_TONES[state]}>{MAIL_STATE_NAMES[state]}</Badge>,
            },
            {
              id: 'at',
              label: 'When',
              right: true,
              cell: ({ createdAt }) => <RelativeTime at={createdAt} />,
            },
            {
              id: 'actions',
              label: <span className="sr-only">Actions</span>,
              right: true,
              cell: ({ id, kind, state }) =>
                state !== 'pending' && (
                  <DimmableButton
                    size="sm"
                    look="quiet"
                    why={whyNotResend}
                    aria-label={`Resend ${kind}`}
                    busy={resend.doing?.[0] === id}
                    onClick={() => void resend.run(id)}
                  >
                    Resend
                  </DimmableButton>
                ),
            },
          ]}
          empty={
            <EmptyState icon={<Mail aria-hidden />} title="No emails">
              Emails to this person appear here, sent or not.
            </EmptyState>
          }
        />
        <LoadMore query={query} />
      </QueryProblem>
    </InDrawer>
  );
}
