import {
  ArrowUpDown,
  AtSign,
  CircleCheck,
  Eraser,
  FileDown,
  MailCheck,
  Merge,
  MessageCircleWarning,
  MoreHorizontal,
  RotateCcw,
  Send,
  ThumbsDown,
  ThumbsUp,
  Undo2,
  UserMinus,
  UserPen,
} from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import type { EntryStatus } from '../../api/choices.ts';
import type { Entry } from '../../api/entries.ts';
import { useMay, useWhyNot } from '../../api/me.ts';
import { Button, DimmableButton, IconButton } from '../../ui/button.tsx';
import { Menu, MenuItem, MenuLine } from '../../ui/menu.tsx';
import { toastError } from '../../ui/toast.tsx';
import type { AboutEntry } from './about-entry.ts';
import type { EntryQuestion } from './entry-dialogs.tsx';
import { type EntryChanges, useEntryChanges } from './use-entry-changes.ts';

const EntryDialog = lazy(() => import('./entry-dialogs.tsx'));

/** What can be done with a person, as far as the role and the status allow it. */
export function EntryActions({ scope, entry, onClose }: AboutEntry & { onClose: () => void }) {
  const isSupport = useMay('support');
  const changes = useEntryChanges({ scope, entry }, onClose);
  const whyNot = useWhyNot('decide about people', 'admin', 'decline');
  const takeBack = () => void changes.decide('reconsider', '').catch(toastError);
  const [asked, setAsked] = useState<EntryQuestion | null>(null);
  if (!isSupport) return null;
  const { status, email } = entry;
  const mayInvite = email !== null && (status === 'waiting' || status === 'pending');
  return (
    <>
      {mayInvite && (
        <Button size="sm" look="primary" icon={<Send aria-hidden />} onClick={() => setAsked('invite')}>
          Invite
        </Button>
      )}
      {status === 'declined' && (
        <DimmableButton size="sm" why={whyNot} icon={<Undo2 aria-hidden />} onClick={takeBack}>
          Take decline back
        </DimmableButton>
      )}
      <EntryMenu entry={entry} changes={changes} onAsk={setAsked} />
      {asked && (
        <Suspense>
          <EntryDialog
            asked={asked}
            scope={scope}
            entry={entry}
            changes={changes}
            onClose={() => setAsked(null)}
          />
        </Suspense>
      )}
    </>
  );
}

const APPROVABLE: readonly EntryStatus[] = ['waiting', 'pending', 'declined'];
const DECLINABLE: readonly EntryStatus[] = ['waiting', 'pending', 'invited'];

interface EntryMenuProps {
  entry: Entry;
  changes: EntryChanges;
  onAsk: (question: EntryQuestion) => void;
}

function EntryMenu({ entry: { status, email, missing }, changes, onAsk }: EntryMenuProps) {
  const mayErase = useMay('admin');
  const isErased = missing === 'erased';
  const mayRepair = missing === null && status !== 'removed';
  const whyNot = {
    confirm: useWhyNot('confirm people', 'admin', 'confirm'),
    resend: useWhyNot('send emails again', 'admin', 'resend'),
    repair: useWhyNot('correct people', 'admin', 'repair'),
    move: useWhyNot('move people', 'admin', 'move'),
    export: useWhyNot('export people', 'admin'),
    decide: useWhyNot('decide about people', 'admin', 'decline'),
    restore: useWhyNot('put people back', 'admin', 'restore'),
    remove: useWhyNot('remove people', 'admin', 'remove'),
    erase: useWhyNot('erase people', 'admin'),
  };
  const now = (change: () => Promise<void>) => () => void change().catch(toastError);
  return (
    <Menu
      trigger={
        <IconButton label="More actions">
          <MoreHorizontal aria-hidden />
        </IconButton>
      }
    >
      {status === 'pending' && (
        <MenuItem icon={<CircleCheck aria-hidden />} why={whyNot.confirm} onClick={now(changes.confirm)}>
          Mark as confirmed
        </MenuItem>
      )}
      {status === 'pending' && email !== null && (
        <MenuItem
          icon={<MailCheck aria-hidden />}
          why={whyNot.resend}
          onClick={now(changes.sendConfirmation)}
        >
          Send confirmation again
        </MenuItem>
      )}
      <MenuItem
        icon={<ArrowUpDown aria-hidden />}
        why={whyNot.move}
        disabled={status !== 'waiting'}
        onClick={() => onAsk('move')}
      >
        {status === 'waiting' ? 'Move…' : 'Move (only while waiting)'}
      </MenuItem>
      {email !== null && APPROVABLE.includes(status) && (
        <MenuItem icon={<ThumbsUp aria-hidden />} why={whyNot.decide} onClick={() => onAsk('approve')}>
          Approve…
        </MenuItem>
      )}
      {DECLINABLE.includes(status) && (
        <MenuItem icon={<ThumbsDown aria-hidden />} why={whyNot.decide} onClick={() => onAsk('decline')}>
          Decline…
        </MenuItem>
      )}
      {mayRepair && (
        <>
          <MenuItem icon={<AtSign aria-hidden />} why={whyNot.repair} onClick={() => onAsk('contact')}>
            Change email or phone…
          </MenuItem>
          <MenuItem icon={<UserPen aria-hidden />} why={whyNot.repair} onClick={() => onAsk('referrer')}>
            Change the referrer…
          </MenuItem>
          <MenuItem icon={<Merge aria-hidden />} why={whyNot.repair} onClick={() => onAsk('merge')}>
            Merge with another entry…
          </MenuItem>
        </>
      )}
      <MenuItem icon={<FileDown aria-hidden />} why={whyNot.export} onClick={now(changes.exportJson)}>
        Export as JSON
      </MenuItem>
      <MenuLine />
      {status === 'removed' ? (
        <MenuItem
          icon={<RotateCcw aria-hidden />}
          why={whyNot.restore}
          disabled={isErased}
          onClick={now(changes.putBack)}
        >
          {isErased ? 'Put back (not after erasing)' : 'Put back'}
        </MenuItem>
      ) : (
        <MenuItem danger icon={<UserMinus aria-hidden />} why={whyNot.remove} onClick={() => onAsk('remove')}>
          Remove…
        </MenuItem>
      )}
      <MenuItem danger icon={<Eraser aria-hidden />} why={whyNot.erase} onClick={() => onAsk('erase')}>
        Erase for good…
      </MenuItem>
      {!mayErase && !isErased && (
        <MenuItem icon={<MessageCircleWarning aria-hidden />} onClick={() => onAsk('ask-erasure')}>
          Ask an admin to erase…
        </MenuItem>
      )}
    </Menu>
  );
}
