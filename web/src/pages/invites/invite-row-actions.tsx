import { useQueryClient } from '@tanstack/react-query';
import { Ban, Copy, Mail, MoreHorizontal } from 'lucide-react';
import { useState } from 'react';
import { api, call } from '../../api/client.ts';
import { type Invite, refreshPeople } from '../../api/entries.ts';
import { useMay, useWhyNot } from '../../api/me.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { IconButton } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { CopyButton, copyText } from '../../ui/copy-button.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { shorten } from '../../ui/shorten.ts';
import { toast, toastError } from '../../ui/toast.tsx';
import { toastResent } from '../emails/toast-mailed.ts';

/** Copy, resend and revoke, while an invite is open. */
export function InviteRowActions({ scope, invite }: { scope: Scope; invite: Invite }) {
  const client = useQueryClient();
  const may = useMay('support');
  const whyNotResend = useWhyNot('send invites again', 'admin', 'resend');
  const [revoking, setRevoking] = useState(false);
  const { id, email, code, url, state } = invite;
  if (!may || state !== 'open') return null;
  const params = {
    path: { waitlistId: scope.waitlistId, inviteId: id },
    query: { environment: scope.environment },
  };
  const who = email === null ? 'this person' : shorten(email);
  const resend = async () => {
    try {
      const { mailable } = await call(
        api.POST('/admin/v1/waitlists/{waitlistId}/invites/{inviteId}/resend', { params }),
      );
      await refreshPeople(client, scope);
      toastResent(
        mailable,
        `The invite to ${who} is on its way again`,
        `Recorded the invite to ${who} again`,
      );
    } catch (error) {
      toastError(error);
    }
  };
  const copyCode = async () => {
    try {
      await copyText(code ?? '');
      toast('Copied the code');
    } catch (error) {
      toastError(error);
    }
  };
  return (
    <span className="inline-flex items-center">
      {url && <CopyButton text={url} what={`invite link of ${who}`} size="sm" />}
      <Menu
        trigger={
          <IconButton label={`Actions for ${who}`} size="sm">
            <MoreHorizontal aria-hidden />
          </IconButton>
        }
      >
        <MenuItem icon={<Copy aria-hidden />} onClick={() => void copyCode()}>
          Copy code
        </MenuItem>
        <MenuItem icon={<Mail aria-hidden />} why={whyNotResend} onClick={() => void resend()}>
          Resend email
        </MenuItem>
        <MenuItem danger icon={<Ban aria-hidden />} onClick={() => setRevoking(true)}>
          Revoke…
        </MenuItem>
      </Menu>
      <ConfirmDialog
        open={revoking}
        onClose={() => setRevoking(false)}
        title="Revoke this invite?"
        about={`The link of ${who} in ${scope.environment} stops working at once. You can invite them again later, with a new link.`}
        action="Revoke invite"
        onConfirm={async () => {
          await call(api.DELETE('/admin/v1/waitlists/{waitlistId}/invites/{inviteId}', { params }));
          await refreshPeople(client, scope);
          toast(`Revoked the invite of ${who}`);
        }}
      />
    </span>
  );
}
