import { Link } from '@tanstack/react-router';
import { SearchX, UserPlus, Users } from 'lucide-react';
import { useMay } from '../../api/me.ts';
import { BASE_URL } from '../../base-path.ts';
import { environmentSearch, type Scope } from '../../shell/waitlist-scope.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import type { QueueTab } from './queue-search.ts';

/** Before the first signup: for those who can create a key, a request that makes one. */
export function NobodyYet({ scope }: { scope: Scope }) {
  const mayCreateKey = useMay('admin');
  const title =
    scope.environment === 'production' ? 'Nobody has signed up yet' : `Nobody in ${scope.environment} yet`;
  if (!mayCreateKey)
    return (
      <EmptyState icon={<UserPlus aria-hidden />} title={title}>
        Signups appear here at once.
      </EmptyState>
    );
  const command = [
    `curl ${BASE_URL}/sdk/v1/waitlist/signup \\`,
    '  -H "Authorization: Bearer $DOORLIST_KEY" \\',
    '  -H "Content-Type: application/json" \\',
    `  -d '{ "waitlistId": "${scope.waitlistId}",`,
    `        "entries": [{ "email": "ada@example.com" }] }'`,
  ].join('\n');
  return (
    <EmptyState
      icon={<UserPlus aria-hidden />}
      title={title}
      action={
        <Link
          to="/waitlists/$waitlistId/api"
          params={{ waitlistId: scope.waitlistId }}
          search={environmentSearch(scope.environment)}
          className={buttonClass('primary')}
        >
          Get a server key
        </Link>
      }
      snippet={<CodeBlock label="Request" snippets={[{ language: 'curl', code: command }]} />}
    >
      Send the first signup with a server key of this environment. It appears here at once.
    </EmptyState>
  );
}

export function NoMatch({
  text,
  isWhole,
  onFilter,
  onClear,
}: {
  text: string;
  /** Whether everybody was looked at. */
  isWhole: boolean;
  onFilter: () => void;
  onClear: () => void;
}) {
  const seesPeople = useMay('support');
  return (
    <EmptyState
      icon={<SearchX aria-hidden />}
      title="No match"
      action={
        <>
          <Button onClick={onFilter}>Filter instead</Button>
          <Button look="quiet" onClick={onClear}>
            Clear search
          </Button>
        </>
      }
    >
      <p className="break-words">
        {seesPeople && !isWhole ? 'Nobody found so far with ' : 'Nobody here has '}
        <strong className="font-medium text-ink">{text.slice(0, 100)}</strong>.
      </p>
      <p className="pt-1">
        {seesPeople
          ? 'Every word must be part of an email, a phone number or an answer. Filters find people by metadata, referrals and dates.'
          : 'Your role finds people by id. Filters find people by referrals and dates.'}
      </p>
    </EmptyState>
  );
}

const NOBODY: Record<QueueTab, [title: string, about: string]> = {
  waiting: ['Nobody is waiting', 'Everyone has been invited, has joined or was removed.'],
  pending: [
    'Nobody is pending',
    'People are here until they confirm their email, if the waitlist asks them to.',
  ],
  invited: ['No open invites', 'People are here from their invite until they accept it.'],
  joined: ['Nobody has joined yet', 'People are here once they accept an invite.'],
  declined: ['Nobody was declined', 'People you decline stay here. They are not told.'],
  removed: ['Nobody was removed', 'People you take off the waitlist stay here.'],
  all: ['Nobody here', 'Signups appear here at once.'],
};

/** `onClear` is there while a filter is on. */
export function NobodyHere({ tab, onClear }: { tab: QueueTab; onClear: (() => void) | undefined }) {
  const [title, about] = onClear
    ? ['Nobody matches', 'Remove a condition, or look at another status.']
    : NOBODY[tab];
  return (
    <EmptyState
      icon={<Users aria-hidden />}
      title={title}
      action={onClear && <Button onClick={onClear}>Clear filter</Button>}
    >
      {about}
    </EmptyState>
  );
}
