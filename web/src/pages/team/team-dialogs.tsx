import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api, call } from '../../api/client.ts';
import { instanceQuery } from '../../api/instance.ts';
import type { Operator } from '../../api/me.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { toast } from '../../ui/toast.tsx';
import { InviteOperatorDialog } from './invite-operator-dialog.tsx';
import { LinkDialog, type OneTimeLink } from './link-dialog.tsx';
import { operatorsQuery } from './operators-query.ts';
import { RemoveDialog } from './remove-dialog.tsx';
import { RoleDialog } from './role-dialog.tsx';

/** What is asked about somebody on the team. */
export interface OperatorQuestion {
  kind: 'role' | 'reset' | 'sessions' | 'remove';
  operator: Operator;
}

/** Whoever is invited, or gets a new link, is shown it next. */
export type TeamDialog =
  | { kind: 'invite' }
  | { kind: 'link'; link: OneTimeLink; email: string }
  | OperatorQuestion;

interface TeamDialogsProps {
  open: TeamDialog;
  onOpen: (next: TeamDialog) => void;
  onClose: () => void;
}

export function TeamDialogs({ open, onOpen, onClose }: TeamDialogsProps) {
  const client = useQueryClient();
  const refresh = () => client.invalidateQueries({ queryKey: operatorsQuery.queryKey });
  switch (open.kind) {
    case 'invite':
      return (
        <InviteOperatorDialog
          onClose={onClose}
          onInvited={async ({ operator, link }) => {
            await refresh();
            onOpen({ kind: 'link', link, email: operator.email });
          }}
        />
      );
    case 'link':
      return <LinkDialog {...open} onClose={onClose} />;
    case 'role':
      return <RoleDialog operator={open.operator} onClose={onClose} onChanged={refresh} />;
    case 'reset':
      return (
        <NewLinkDialog
          operator={open.operator}
          onClose={onClose}
          onCreated={(link) => onOpen({ kind: 'link', link, email: open.operator.email })}
        />
      );
    case 'sessions':
      return <EndSessionsDialog operator={open.operator} onClose={onClose} />;
    case 'remove':
      return <RemoveDialog operator={open.operator} onClose={onClose} onRemoved={refresh} />;
  }
}

interface NewLinkDialogProps {
  operator: Operator;
  onClose: () => void;
  onCreated: (link: OneTimeLink) => void;
}

function NewLinkDialog({ operator: { id, email, state }, onClose, onCreated }: NewLinkDialogProps) {
  const hasMailServer = useQuery(instanceQuery).data?.emails.smtp === 'configured';
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={state === 'invited' ? 'Create a new invitation link?' : 'Create a password reset link?'}
      about={
        hasMailServer
          ? `${email} is emailed the link, and you get it, too. Earlier links stop working.`
          : `You get a link to pass on to ${email}. Earlier links stop working.`
      }
      action="Create link"
      onConfirm={async () => {
        const params = { path: { operatorId: id } };
        onCreated(await call(api.POST('/admin/v1/operators/{operatorId}/link', { params })));
      }}
    />
  );
}

function EndSessionsDialog({ operator, onClose }: { operator: Operator; onClose: () => void }) {
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`Sign ${operator.name || operator.email} out everywhere?`}
      about="All of their sessions end at once. They can sign in again."
      action="Sign out"
      onConfirm={async () => {
        const params = { path: { operatorId: operator.id } };
        const { ended } = await call(api.DELETE('/admin/v1/operators/{operatorId}/sessions', { params }));
        toast(ended === 1 ? 'Ended 1 session' : `Ended ${ended} sessions`);
      }}
    />
  );
}
