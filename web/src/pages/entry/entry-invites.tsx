import { Send } from 'lucide-react';
import { EmptyState } from '../../ui/empty-state.tsx';
import { InviteList } from '../invites/invite-list.tsx';
import type { AboutEntry } from './about-entry.ts';
import { InDrawer } from './in-drawer.tsx';

/** Invites to this person. */
export function EntryInvites({ scope, entry }: AboutEntry) {
  return (
    <InDrawer>
      <InviteList
        scope={scope}
        entry={entry.id}
        empty={
          <EmptyState icon={<Send aria-hidden />} title="No invites">
            Invites to this person appear here, with their links.
          </EmptyState>
        }
      />
    </InDrawer>
  );
}
