import { useQuery } from '@tanstack/react-query';
import type { Schemas } from '../../api/client.ts';
import { api, call } from '../../api/client.ts';
import { people, peopleKey } from '../../api/entries.ts';
import { cx } from '../../ui/cx.ts';
import { number } from '../../ui/number.ts';
import { QueryProblem } from '../../ui/query-problem.tsx';
import { exactTime } from '../../ui/relative-time.tsx';
import { SkeletonRows } from '../../ui/skeleton.tsx';
import type { AboutEntry } from './about-entry.ts';
import { EventTime } from './event-time.tsx';

type Event = Schemas['EntryEvent'];

const LOOKS: Record<Event['kind'], [text: string, dot: string]> = {
  'signup.created': ['Signed up', 'bg-sky'],
  'signup.confirmed': ['Confirmed their email', 'bg-sky'],
  'referral.credited': ['Referred somebody', 'bg-accent'],
  'invite.sent': ['Was invited', 'bg-violet'],
  'invite.accepted': ['Accepted the invite', 'bg-accent'],
  'invite.revoked': ['The invite was revoked', 'bg-mute'],
  'invite.expired': ['The invite expired', 'bg-mute'],
  'entry.moved': ['Was moved', 'bg-warn'],
  'entry.updated': ['Was corrected', 'bg-warn'],
  'entry.removed': ['Was removed', 'bg-danger'],
  'entry.approved': ['Was approved', 'bg-accent'],
  'entry.declined': ['Was declined', 'bg-danger'],
  'entry.reconsidered': ['Decline taken back', 'bg-warn'],
};

const FIELDS: Readonly<Record<string, string>> = {
  email: 'Email',
  phone: 'Phone',
  metadata: 'Metadata',
  referredBy: 'Referrer',
};

/** With how many more of its kind right before it. */
type Grouped = Event & { more: number };

/** Somebody popular refers many in a row: they become one line. */
function groupReferrals(events: Event[]): Grouped[] {
  const groups: Grouped[] = [];
  for (const event of events) {
    const last = groups.at(-1);
    if (last?.kind === 'referral.credited' && event.kind === last.kind) last.more += 1;
    else groups.push({ ...event, more: 0 });
  }
  return groups;
}

interface HistoryProps extends AboutEntry {
  onOpen: (entryId: string) => void;
  onReferrals: () => void;
}

/** What happened to a person, newest first. */
export function EntryHistory({ scope, entry, onOpen, onReferrals }: HistoryProps) {
  const query = useQuery({
    queryKey: [...peopleKey(scope), 'history', entry.id],
    queryFn: () =>
      call(
        api.GET('/admin/v1/waitlists/{waitlistId}/entries/{entryId}/history', {
          params: {
            path: { waitlistId: scope.waitlistId, entryId: entry.id },
            query: { environment: scope.environment },
          },
        }),
      ),
  });
  const events = query.data && groupReferrals(query.data.events.toReversed());
  return (
    <QueryProblem query={query}>
      {events ? (
        <ol className="flex flex-col">
          {events.map((event, index) => (
            <li
              key={`${event.kind} ${event.at} ${event.entryId ?? event.inviteId ?? ''}`}
              className="flex gap-3"
            >
              <span className="flex w-3 flex-col items-center" aria-hidden>
                <span className={cx('mt-1.75 size-2 shrink-0 rounded-full', LOOKS[event.kind][1])} />
                {index < events.length - 1 && <span className="my-1 w-px flex-1 bg-line" />}
              </span>
              <div className="min-w-0 pb-4">
                <p className="font-medium">
                  {event.more > 0 ? `Referred ${people(event.more + 1)}` : LOOKS[event.kind][0]}
                </p>
                <p className="text-sm text-mute">
                  <EventTime at={event.at} />
                </p>
                {event.more > 0 ? (
                  <ShowButton onClick={onReferrals}>Show them</ShowButton>
                ) : (
                  <More event={event} onOpen={onOpen} />
                )}
              </div>
            </li>
          ))}
        </ol>
      ) : (
        <SkeletonRows />
      )}
    </QueryProblem>
  );
}

function More({ event, onOpen }: { event: Event; onOpen: (entryId: string) => void }) {
  const { entryId, expiresAt, by, kind, note } = event;
  if (entryId) return <ShowButton onClick={() => onOpen(entryId)}>Show who</ShowButton>;
  if (event.from !== null && event.to !== null)
    return (
      <p className="text-sm text-mute">
        From {number(event.from)} to {number(event.to)}
        {by && `, by ${by}`}
      </p>
    );
  if (isDecision(kind))
    return (
      <>
        {note && <p className="text-sm break-words whitespace-pre-line">{note}</p>}
        {by && <p className="text-sm text-mute">By {by}</p>}
      </>
    );
  if (event.fields.length > 0)
    return (
      <p className="text-sm text-mute">
        {event.fields.map((field) => FIELDS[field] ?? field).join(', ')}
        {by && `, by ${by}`}
      </p>
    );
  if (by) return <p className="text-sm text-mute">By {by} in their place</p>;
  if (kind === 'invite.sent')
    return (
      <p className="text-sm text-mute">{expiresAt ? `Expires ${exactTime(expiresAt)}` : 'Does not expire'}</p>
    );
  return null;
}

function isDecision(kind: Event['kind']): boolean {
  return kind === 'entry.approved' || kind === 'entry.declined' || kind === 'entry.reconsidered';
}

function ShowButton({ onClick, children }: { onClick: () => void; children: string }) {
  return (
    <button
      type="button"
      onClick={onClick}
      className="rounded-sm text-sm text-accent underline-offset-4 hover:underline"
    >
      {children}
    </button>
  );
}
