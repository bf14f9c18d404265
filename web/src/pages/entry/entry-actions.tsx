import { useQuery, useQueryClient } from '@tanstack/react-query';
import {
  ArrowUpDown,
  CircleCheck,
  Eraser,
  FileDown,
  MailCheck,
  MoreHorizontal,
  RotateCcw,
  Send,
  UserMinus,
} from 'lucide-react';
import { useState } from 'react';
import { api, call } from '../../api/client.ts';
import { nameOf, refreshPeople } from '../../api/entries.ts';
import { mailableOf, mailStatusQuery, whyNotMailed } from '../../api/mail-status.ts';
import { useMay } from '../../api/me.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { Alert } from '../../ui/alert.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { download } from '../../ui/download.ts';
import { Menu, MenuItem, MenuLine } from '../../ui/menu.tsx';
import { toast, toastError } from '../../ui/toast.tsx';
import { toastMailed } from '../emails/toast-mailed.ts';
import type { AboutEntry } from './about-entry.ts';
import { MoveDialog } from './move-dialog.tsx';

type Asked = 'invite' | 'move' | 'remove' | 'erase' | null;

/** What can be done with a person, as far as the role and the status allow it. */
export function EntryActions({ scope, entry, onClose }: AboutEntry & { onClose: () => void }) {
  const client = useQueryClient();
  const isAdmin = useMay('admin');
  const isSupport = useMay('support');
  const [asked, setAsked] = useState<Asked>(null);
  const [neverJoined, setNeverJoined] = useState(false);
  if (!isSupport) return null;
  const { waitlistId, environment } = scope;
  const { status, email, id } = entry;
  const params = { path: { waitlistId, entryId: id }, query: { environment } };
  const name = shorten(nameOf(entry));
  const isErased = entry.missing === 'erased';
  const refresh = () => refreshPeople(client, scope);

  const confirm = async () => {
    try {
      await call(
        api.PATCH('/admin/v1/waitlists/{waitlistId}/entries/{entryId}', {
          params,
          body: { status: 'waiting' },
        }),
      );
      await refresh();
      toast(`Confirmed ${name}`);
    } catch (error) {
      toastError(error);
    }
  };
  const sendConfirmation = async () => {
    try {
      const { mailable } = await call(
        api.POST('/admin/v1/waitlists/{waitlistId}/entries/{entryId}/confirmation', { params }),
      );
      await refresh();
      if (mailable.mailable) toast(`The confirmation to ${name} is on its way`);
      else toastMailed('Recorded the confirmation again', mailable);
    } catch (error) {
      toastError(error);
    }
  };
  const exportPerson = async () => {
    try {
      const person = await call(
        api.GET('/admin/v1/waitlists/{waitlistId}/entries/{entryId}/export', { params }),
      );
      download(`${id}.json`, `${JSON.stringify(person, null, 2)}\n`, 'application/json');
    } catch (error) {
      toastError(error);
    }
  };
  const remove = (erase: boolean) =>
    call(
      api.DELETE('/admin/v1/waitlists/{waitlistId}/entries/{entryId}', {
        params: { path: params.path, query: { environment, ...(erase ? { erase: 'true' } : {}) } },
        body: erase ? { confirm: id, neverJoined } : {},
      }),
    );

  const askToErase = () => {
    setNeverJoined(false);
    setAsked('erase');
  };
  const putBack = async () => {
    try {
      await call(api.POST('/admin/v1/waitlists/{waitlistId}/entries/{entryId}/restore', { params }));
      await refresh();
      toast(`Put ${name} back`);
    } catch (error) {
      toastError(error);
    }
  };

  const mayInvite = email !== null && (status === 'waiting' || status === 'pending');
  return (
    <>
      {mayInvite && (
        <Button size="sm" look="primary" icon={<Send aria-hidden />} onClick={() => setAsked('invite')}>
          Invite
        </Button>
      )}
      <Menu
        trigger={
          <IconButton label="More actions">
            <MoreHorizontal aria-hidden />
          </IconButton>
        }
      >
        {status === 'pending' && (
          <MenuItem icon={<CircleCheck aria-hidden />} onClick={() => void confirm()}>
            Mark as confirmed
          </MenuItem>
        )}
        {status === 'pending' && email !== null && (
          <MenuItem icon={<MailCheck aria-hidden />} onClick={() => void sendConfirmation()}>
            Send confirmation again
          </MenuItem>
        )}
        <MenuItem
          icon={<ArrowUpDown aria-hidden />}
          disabled={!isAdmin || status !== 'waiting'}
          onClick={() => setAsked('move')}
        >
          {status === 'waiting' ? 'Move…' : 'Move (only while waiting)'}
        </MenuItem>
        <MenuItem icon={<FileDown aria-hidden />} disabled={!isAdmin} onClick={() => void exportPerson()}>
          Export as JSON
        </MenuItem>
        <MenuLine />
        {status === 'removed' ? (
          <MenuItem
            icon={<RotateCcw aria-hidden />}
            disabled={!isAdmin || isErased}
            onClick={() => void putBack()}
          >
            {isErased ? 'Put back (not after erasing)' : 'Put back'}
          </MenuItem>
        ) : (
          <MenuItem
            danger
            icon={<UserMinus aria-hidden />}
            disabled={!isAdmin}
            onClick={() => setAsked('remove')}
          >
            Remove…
          </MenuItem>
        )}
        <MenuItem danger icon={<Eraser aria-hidden />} disabled={!isAdmin} onClick={askToErase}>
          Erase for good…
        </MenuItem>
        {!isAdmin && <p className="px-2 py-1 text-xs text-mute">Dimmed actions require the admin role.</p>}
      </Menu>
      {asked === 'invite' && (
        <InviteOne
          scope={scope}
          about={`Invites ${name} in ${environment}. The invite expires after the waitlist’s default time.`}
          onClose={() => setAsked(null)}
          onInvite={async () => {
            const answer = await call(
              api.POST('/admin/v1/waitlists/{waitlistId}/invites', {
                params: { path: { waitlistId }, query: { environment } },
                body: { email: email ?? '', expect: 1 },
              }),
            );
            await refresh();
            toastMailed(`Invited ${name}`, answer.mailable);
          }}
        />
      )}
      {asked === 'move' && <MoveDialog scope={scope} entry={entry} onClose={() => setAsked(null)} />}
      <ConfirmDialog
        open={asked === 'remove'}
        onClose={() => setAsked(null)}
        title={`Remove ${name}?`}
        about={`Takes them off the waitlist in ${environment} and revokes their open invites. They stay listed as removed and cannot sign up again. You can put them back for 30 days, in the place of their signup; somebody who was invited waits in line again.`}
        action="Remove"
        onConfirm={async () => {
          await remove(false);
          await refresh();
          toast(`Removed ${name}`, { undo: () => void putBack() });
        }}
      />
      <ConfirmDialog
        open={asked === 'erase'}
        onClose={() => setAsked(null)}
        title={`Erase ${name}?`}
        about={`Destroys everything stored about this person in ${environment}, also in emails and webhooks that were not sent yet. Nobody can bring it back.`}
        action="Erase for good"
        typed={shorten(email ?? entry.phone ?? id)}
        onConfirm={async () => {
          await remove(true);
          onClose();
          await refresh();
          toast('Erased this person');
        }}
      >
        <Checkbox
          label="As if they had never joined"
          help="For bots. They no longer count as a signup, and everyone who joined later moves up one place. Otherwise, their place stays counted."
          checked={neverJoined}
          onChange={setNeverJoined}
        />
      </ConfirmDialog>
    </>
  );
}

/** A sentence holds only so much. */
function shorten(name: string): string {
  return name.length > 80 ? `${name.slice(0, 79)}…` : name;
}

interface InviteOneProps {
  scope: Scope;
  about: string;
  onClose: () => void;
  onInvite: () => Promise<void>;
}

function InviteOne({ scope, about, onClose, onInvite }: InviteOneProps) {
  const { data: status } = useQuery(mailStatusQuery(scope));
  const mailable = mailableOf(status, 'invite');
  const why = mailable && whyNotMailed(mailable);
  return (
    <ConfirmDialog
      open
      harmless
      onClose={onClose}
      title="Invite this person?"
      about={about}
      action="Invite"
      onConfirm={onInvite}
    >
      {why !== undefined && (
        <Alert tone="warn" title={`They are not emailed: ${why}`}>
          {mailable?.message}
        </Alert>
      )}
    </ConfirmDialog>
  );
}
