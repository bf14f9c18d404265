import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Inbox } from 'lucide-react';
import { useMay } from '../../api/me.ts';
import { environmentsQuery, waitlistsQuery } from '../../api/waitlists.ts';
import { useFind } from '../../shell/use-find.ts';
import { PRODUCTION } from '../../shell/waitlist-scope.ts';
import { capitalize } from '../../ui/capitalize.ts';
import { Card } from '../../ui/card.tsx';
import { Combobox } from '../../ui/combobox.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { QueryProblem } from '../../ui/query-problem.tsx';
import { Select } from '../../ui/select.tsx';
import { SkeletonRows } from '../../ui/skeleton.tsx';
import { MailDrawer } from '../emails/mail-drawer.tsx';
import { MailLog } from '../emails/mail-log.tsx';
import type { MailSource } from '../emails/mails.ts';
import { SendingNotice } from '../emails/sending-notice.tsx';

const PATH = '/instance/mailbox';
const OPERATORS = 'operators';

/** Every email of the installation, sent or kept: to operators, and of each waitlist. */
export function MailboxPage() {
  const isOwner = useMay('owner');
  const search = useSearch({ from: `/shell${PATH}` });
  const find = useFind();
  const navigate = useNavigate({ from: PATH });
  const query = useQuery(waitlistsQuery(PRODUCTION));
  const waitlists = query.data;
  const { data: environments = [PRODUCTION] } = useQuery(environmentsQuery);
  const environment = search.environment ?? PRODUCTION;
  const first = waitlists?.[0]?.id ?? (isOwner && waitlists ? OPERATORS : undefined);
  const chosen = search.waitlist ?? first;
  const source: MailSource =
    chosen === undefined || chosen === OPERATORS ? null : { waitlistId: chosen, environment };
  const options = [
    ...(waitlists ?? []).map(({ id, name }) => ({ value: id, label: `${name} · ${id}` })),
    ...(isOwner ? [{ value: OPERATORS, label: 'Emails to operators' }] : []),
  ];
  const open = (mail: string | undefined) =>
    void navigate({ search: (now) => ({ ...now, mail }), state: true, replace: mail === undefined });
  return (
    <>
      <PageHeader title="Mailbox" about="Every email of this installation, sent or kept." />
      <SendingNotice environment={source?.environment ?? PRODUCTION} waitlistId={source?.waitlistId} />
      <div className="flex flex-wrap gap-2">
        <Combobox
          label="Emails of"
          placeholder="Search waitlists…"
          className="w-72!"
          value={chosen ?? ''}
          options={options}
          onChange={(next) => next && void navigate({ search: { waitlist: next } })}
        />
        {source && (
          <Select
            label="Environment"
            className="w-40!"
            value={environment}
            options={environments.map((name) => ({ value: name, label: capitalize(name) }))}
            onChange={(next) =>
              void navigate({
                search: {
                  waitlist: source.waitlistId,
                  environment: next === PRODUCTION ? undefined : next,
                },
              })
            }
          />
        )}
      </div>
      {chosen === undefined ? (
        <Card flush>
          <QueryProblem query={query}>
            {waitlists ? (
              <EmptyState icon={<Inbox aria-hidden />} title="No waitlists yet">
                Emails appear here once there is one.
              </EmptyState>
            ) : (
              <SkeletonRows />
            )}
          </QueryProblem>
        </Card>
      ) : (
        <MailLog
          source={source}
          filter={{ state: search.state, kind: search.kind, to: find }}
          onFilter={({ to, ...filter }) =>
            void navigate({
              search: (now) => ({ ...now, state: undefined, kind: undefined, ...filter }),
              state: { find: to },
            })
          }
          onOpen={open}
          empty={
            source
              ? 'Emails of this waitlist appear here.'
              : 'Invitations, password resets and notices about accounts appear here.'
          }
        />
      )}
      <MailDrawer source={source} mailId={search.mail} onClose={() => open(undefined)} />
    </>
  );
}
