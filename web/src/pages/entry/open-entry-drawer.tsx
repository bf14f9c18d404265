import { useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense } from 'react';
import { type Entry, entryQuery, nameOf } from '../../api/entries.ts';
import { mayActAs, type Role, useMe } from '../../api/me.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { Drawer } from '../../ui/dialog.tsx';
import { QueryProblem } from '../../ui/query-problem.tsx';
import { SkeletonRows } from '../../ui/skeleton.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { EntryActions } from './entry-actions.tsx';
import { EntryDetails } from './entry-details.tsx';
import { EntryEmails } from './entry-emails.tsx';
import { EntryHistory } from './entry-history.tsx';
import { EntryInvites } from './entry-invites.tsx';
import { EntryReferrals } from './entry-referrals.tsx';
import type { EntryTab } from './entry-search.ts';

const EntryDeliveries = lazy(() => import('./entry-deliveries.tsx'));

const TABS: { value: EntryTab; label: string; role: Role }[] = [
  { value: 'details', label: 'Details', role: 'viewer' },
  { value: 'history', label: 'History', role: 'support' },
  { value: 'referrals', label: 'Referrals', role: 'viewer' },
  { value: 'invites', label: 'Invites', role: 'viewer' },
  { value: 'emails', label: 'Emails', role: 'support' },
  { value: 'deliveries', label: 'Webhooks', role: 'support' },
];

export interface EntryDrawerProps {
  scope: Scope;
  /** The drawer is open while there is one. */
  entryId: string | undefined;
  tab: EntryTab;
  onTab: (tab: EntryTab) => void;
  /** Shows another entry. */
  onOpen: (entryId: string) => void;
  onClose: () => void;
}

export default function OpenDrawer({
  scope,
  entryId,
  tab,
  onTab,
  onOpen,
  onClose,
}: EntryDrawerProps & { entryId: string }) {
  const { role } = useMe();
  const query = useQuery(entryQuery(scope, entryId));
  const tabs = TABS.filter((each) => mayActAs(role, each.role));
  const chosen = tabs.some(({ value }) => value === tab) ? tab : 'details';
  const { data: entry } = query;
  const about = (one: Entry): Record<EntryTab, () => ReactNode> => ({
    details: () => <EntryDetails scope={scope} entry={one} onOpen={onOpen} />,
    history: () => (
      <EntryHistory scope={scope} entry={one} onOpen={onOpen} onReferrals={() => onTab('referrals')} />
    ),
    referrals: () => <EntryReferrals scope={scope} entry={one} onOpen={onOpen} />,
    invites: () => <EntryInvites scope={scope} entry={one} />,
    emails: () => <EntryEmails scope={scope} entry={one} />,
    deliveries: () => (
      <Suspense fallback={<SkeletonRows flush rows={4} />}>
        <EntryDeliveries scope={scope} entry={one} />
      </Suspense>
    ),
  });
  return (
    <Drawer
      open
      onClose={onClose}
      title={
        <span dir="auto" title={entry && nameOf(entry)}>
          {entry ? nameOf(entry) : 'Person'}
        </span>
      }
      actions={entry && <EntryActions scope={scope} entry={entry} onClose={onClose} />}
    >
      <QueryProblem query={query}>
        {entry ? (
          <Tabs label="About this person" value={chosen} onChange={onTab} tabs={tabs} panels={about(entry)} />
        ) : (
          <SkeletonRows flush rows={8} />
        )}
      </QueryProblem>
    </Drawer>
  );
}
