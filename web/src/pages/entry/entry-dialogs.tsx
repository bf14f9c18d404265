import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { mailableOf, mailStatusQuery, whyNotMailed } from '../../api/mail-status.ts';
import { Alert } from '../../ui/alert.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { shorten } from '../../ui/shorten.ts';
import type { AboutEntry } from './about-entry.ts';
import { DecisionDialog } from './decision-dialog.tsx';
import { AskForErasure } from './erasure-dialogs.tsx';
import { MergeDialog } from './merge-dialog.tsx';
import { MoveDialog } from './move-dialog.tsx';
import { ContactDialog, ReferrerDialog } from './repair-dialogs.tsx';
import type { EntryChanges } from './use-entry-changes.ts';

/** What is asked before it is done. */
export type EntryQuestion =
  | 'invite'
  | 'approve'
  | 'decline'
  | 'contact'
  | 'referrer'
  | 'merge'
  | 'move'
  | 'remove'
  | 'erase'
  | 'ask-erasure';

interface EntryDialogProps extends AboutEntry {
  changes: EntryChanges;
  onClose: () => void;
}

export default function EntryDialog({ asked, ...props }: EntryDialogProps & { asked: EntryQuestion }) {
  switch (asked) {
    case 'invite':
      return <InviteEntry {...props} />;
    case 'contact':
      return <ContactDialog {...props} />;
    case 'referrer':
      return <ReferrerDialog {...props} />;
    case 'merge':
      return <MergeDialog {...props} />;
    case 'approve':
    case 'decline':
      return <DecisionDialog verb={asked} {...props} />;
    case 'move':
      return <MoveDialog {...props} />;
    case 'remove':
      return <RemoveEntry {...props} />;
    case 'erase':
      return <EraseEntry {...props} />;
    case 'ask-erasure':
      return <AskForErasure {...props} />;
  }
}

function InviteEntry({ scope, changes: { name, invite }, onClose }: EntryDialogProps) {
  const { data: status } = useQuery(mailStatusQuery(scope));
  const mailable = mailableOf(status, 'invite');
  const why = mailable && whyNotMailed(mailable);
  return (
    <ConfirmDialog
      open
      harmless
      onClose={onClose}
      title="Invite this person?"
      about={`Invites ${name} in ${scope.environment}. The invite expires after the waitlist’s default time.`}
      action="Invite"
      onConfirm={invite}
    >
      {why !== undefined && (
        <Alert tone="warn" title={`They are not emailed: ${why}`}>
          {mailable?.message}
        </Alert>
      )}
    </ConfirmDialog>
  );
}

function RemoveEntry({ scope, changes: { name, remove }, onClose }: EntryDialogProps) {
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`Remove ${name}?`}
      about={`Takes them off the waitlist in ${scope.environment} and revokes their open invites. They stay listed as removed and cannot sign up again. You can put them back for 30 days, in the place of their signup; somebody who was invited waits in line again.`}
      action="Remove"
      onConfirm={remove}
    />
  );
}

function EraseEntry({ scope, entry, changes: { name, erase }, onClose }: EntryDialogProps) {
  const [neverJoined, setNeverJoined] = useState(false);
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`Erase ${name}?`}
      about={`Destroys everything stored about this person in ${scope.environment}, also in emails and webhooks that were not sent yet. Nobody can bring it back.`}
      action="Erase for good"
      typed={shorten(entry.email ?? entry.phone ?? entry.id)}
      onConfirm={() => erase(neverJoined)}
    >
      <Checkbox
        label="As if they had never joined"
        help="For bots. They no longer count as a signup, and everyone who joined later moves up one place. Otherwise, their place stays counted."
        checked={neverJoined}
        onChange={setNeverJoined}
      />
    </ConfirmDialog>
  );
}
