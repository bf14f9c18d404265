import { useQuery } from '@tanstack/react-query';
import { api, call } from '../../api/client.ts';
import { peopleKey } from '../../api/entries.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { QueryProblem } from '../../ui/query-problem.tsx';
import type { AboutEntry } from './about-entry.ts';

/** Others whose mail goes to the same mailbox. Most people have none: then there is nothing to show. */
export function EntryMailbox({ scope, entry, onOpen }: AboutEntry & { onOpen: (entryId: string) => void }) {
  const query = useQuery({
    queryKey: [...peopleKey(scope), 'mailbox', entry.id],
    queryFn: () =>
      call(
        api.GET('/admin/v1/waitlists/{waitlistId}/entries/{entryId}/mailbox', {
          params: {
            path: { waitlistId: scope.waitlistId, entryId: entry.id },
            query: { environment: scope.environment },
          },
        }),
      ),
  });
  if (query.isPending || query.data?.entries.length === 0) return null;
  return (
    <section className="flex flex-col gap-3">
      <h3 className="font-semibold">Same mailbox</h3>
      <QueryProblem query={query}>
        <p className="text-mute">Count as one person for referrals and for emails that the form sends.</p>
        <ul className="divide-y overflow-hidden rounded-md ring-1 ring-line">
          {query.data?.entries.map(({ id, email, status }) => (
            <li key={id}>
              <button
                type="button"
                className="flex w-full items-center justify-between gap-3 px-3 py-2 text-left hover:bg-hover"
                onClick={() => onOpen(id)}
              >
                <span className="min-w-0 truncate" title={email ?? undefined} dir="auto">
                  {email ?? id}
                </span>
                <StatusBadge status={status} />
              </button>
            </li>
          ))}
        </ul>
        {query.data?.more && <p className="text-mute">There are more of them.</p>}
      </QueryProblem>
    </section>
  );
}
