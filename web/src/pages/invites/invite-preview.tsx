import { ApiError, type Schemas } from '../../api/client.ts';
import { type Entry, people } from '../../api/entries.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { cx } from '../../ui/cx.ts';
import { number } from '../../ui/number.ts';
import { Scrollable } from '../../ui/scrollable.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Person } from '../queue/entry-columns.tsx';
import type { InviteWay } from './invites-search.ts';

const HINTS: Record<InviteWay, string> = {
  first: 'Enter how many to see who would be invited.',
  segment: 'Enter a condition to see who would be invited.',
  email: 'Enter an email to see whether they are on the waitlist.',
};

interface InvitePreviewProps {
  way: InviteWay;
  /** Whether enough is filled in to say anything. */
  isAsked: boolean;
  preview: Schemas['InvitePreview'] | undefined;
  error: unknown;
  /** What is shown is about to be replaced. */
  isStale: boolean;
}

/** Who would be invited. */
export function InvitePreview({ way, isAsked, preview, error, isStale }: InvitePreviewProps) {
  if (!isAsked) return <p className="rounded-md bg-sunken px-4 py-3 text-mute">{HINTS[way]}</p>;
  if (error)
    return (
      <p role="alert" className="rounded-md bg-danger-soft px-4 py-3 text-danger">
        {ApiError.from(error).sentence}
      </p>
    );
  if (!preview) return <Skeleton className="h-24 w-full" />;
  const { count, preview: shown } = preview;
  const rest = count - shown.length;
  const isEmail = way === 'email';
  return (
    <section
      aria-label="Who would be invited"
      aria-busy={isStale}
      className={cx('overflow-hidden rounded-md ring-1 ring-line', isStale && 'opacity-60')}
    >
      {isEmail ? (
        <EmailTitle entry={shown[0]} hasOpenInvite={preview.hasOpenInvite === true} />
      ) : (
        <p className="border-b bg-sunken px-4 py-2 font-medium" role="status">
          {count === 0 ? 'Nobody would be invited' : `${people(count)} would be invited`}
        </p>
      )}
      {shown.length > 0 ? (
        <Scrollable label="First people" className="max-h-52 overflow-y-auto">
          <ol className="divide-y">
            {shown.map((entry) => (
              <li key={entry.id} className="flex items-center gap-3 px-4 py-1.5">
                {!(isEmail && entry.position === null) && (
                  <span className="min-w-8 shrink-0 text-mute tabular-nums sm:min-w-16">
                    {entry.position === null ? '–' : `#${number(entry.position)}`}
                  </span>
                )}
                <Person entry={entry} className="min-w-0 flex-1" />
                {isEmail && <StatusBadge status={entry.status} />}
                {entry.referrals > 0 && (
                  <span className="shrink-0 text-sm text-mute">
                    {number(entry.referrals)} {entry.referrals === 1 ? 'referral' : 'referrals'}
                  </span>
                )}
              </li>
            ))}
            {rest > 0 && <li className="px-4 py-1.5 text-mute">and {number(rest)} more</li>}
          </ol>
        </Scrollable>
      ) : (
        <p className="px-4 py-2 text-mute">
          {isEmail
            ? outsider(preview.hasOpenInvite === true)
            : 'Nobody with an email who is waiting matches.'}
        </p>
      )}
    </section>
  );
}

const outsider = (isInvited: boolean) =>
  isInvited ? 'They are not on the waitlist.' : 'They get an invite all the same.';

/** Why somebody need not be invited. */
function whyNot(status: Entry['status'] | undefined, hasOpenInvite: boolean) {
  if (status === 'joined')
    return { title: 'Already joined', about: 'They would get an invite that they do not need.' };
  if (hasOpenInvite)
    return {
      title: 'Already invited',
      about:
        'They would get another invite. To send the first one again, resend it from the list of invites.',
    };
  if (status === 'invited')
    return {
      title: 'Invited before',
      about: 'That invite can no longer be accepted. They would get a new one.',
    };
  return undefined;
}

/** About one email: whether there is an entry, and why it need not be invited. */
function EmailTitle({ entry, hasOpenInvite }: { entry: Entry | undefined; hasOpenInvite: boolean }) {
  const again = whyNot(entry?.status, hasOpenInvite);
  return (
    <div role="status" className={cx('border-b px-4 py-2', again ? 'bg-warn-soft text-warn' : 'bg-sunken')}>
      <p className="font-medium">{again?.title ?? (entry ? 'On the waitlist' : 'Not on the waitlist yet')}</p>
      {again && <p>{again.about}</p>}
    </div>
  );
}
