import { useQuery } from '@tanstack/react-query';
import { api, call, type Schemas } from '../../api/client.ts';
import { peopleKey } from '../../api/entries.ts';
import { number } from '../../ui/number.ts';
import type { AboutEntry } from './about-entry.ts';
import { Fact, Missing } from './entry-facts.tsx';

/** The position, and below it why it is that. */
export function EntryPosition({ scope, entry }: AboutEntry) {
  const { waitlistId, environment } = scope;
  const isWaiting = entry.position !== null;
  const { data } = useQuery({
    queryKey: [...peopleKey(scope), 'position', entry.id],
    queryFn: () =>
      call(
        api.GET('/admin/v1/waitlists/{waitlistId}/entries/{entryId}/position', {
          params: { path: { waitlistId, entryId: entry.id }, query: { environment } },
        }),
      ),
    enabled: isWaiting,
  });
  if (entry.position === null)
    return (
      <Fact label="Position">
        <Missing />
      </Fact>
    );
  // Of one moment: the entry may have been read before others moved.
  const { position, waiting } = { position: entry.position, waiting: undefined, ...data };
  return (
    <Fact label="Position">
      <span className="flex min-w-0 flex-col">
        <span className="flex min-h-8 items-center tabular-nums">
          #{number(position ?? entry.position)}
          {waiting !== undefined && <span className="text-mute">&nbsp;of {number(waiting)} waiting</span>}
        </span>
        {data && <span className="pb-1 text-sm text-mute">{reasonsIn(data)}</span>}
      </span>
    </Fact>
  );
}

function reasonsIn(reasons: Schemas['PositionReasons']): string {
  const { joinedAs, referrals, boost, advanced, code, moved } = reasons;
  return [
    `Joined as number ${number(joinedAs)}`,
    ...(referrals > 0
      ? [`${number(referrals)} ${referrals === 1 ? 'referral' : 'referrals'} × ${boost} earlier`]
      : []),
    ...(advanced === 0
      ? []
      : [`${code === null ? 'a code' : `code ${code}`}: ${placesOf(advanced)} earlier`]),
    ...(moved === 0
      ? []
      : [`moved ${placesOf(Math.abs(moved))} ${moved > 0 ? 'later' : 'earlier'} by an operator`]),
  ].join(', ');
}

function placesOf(count: number): string {
  return `${number(count)} ${count === 1 ? 'place' : 'places'}`;
}
