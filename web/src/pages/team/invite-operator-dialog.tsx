import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, call, type Schemas } from '../../api/client.ts';
import { instanceQuery } from '../../api/instance.ts';
import { type Role, useMe } from '../../api/me.ts';
import { Field, Input } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Select } from '../../ui/select.tsx';
import { roleOptions } from './roles.ts';

interface InviteOperatorDialogProps {
  onClose: () => void;
  onInvited: (invited: Schemas['InvitedOperator']) => Promise<unknown>;
}

export function InviteOperatorDialog({ onClose, onInvited }: InviteOperatorDialogProps) {
  const { role: mine } = useMe();
  const { data: instance } = useQuery(instanceQuery);
  const hasMailServer = instance?.emails.smtp === 'configured';
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('support');
  return (
    <FormDialog
      title="Invite somebody"
      about={`${hasMailServer ? 'They are emailed a link, which you get, too.' : 'You get a link to pass on: there is no mail server to email it.'} With it they choose a password.`}
      action="Invite"
      onClose={onClose}
      onSubmit={async () => onInvited(await call(api.POST('/admin/v1/operators', { body: { email, role } })))}
    >
      {(problem) => (
        <>
          <Field label="Email" error={problem('email')}>
            <Input
              required
              type="email"
              autoComplete="off"
              value={email}
              onChange={(event) => setEmail(event.target.value)}
            />
          </Field>
          <Field label="Role" error={problem('role')}>
            <Select label="Role" value={role} onChange={setRole} options={roleOptions(mine)} />
          </Field>
        </>
      )}
    </FormDialog>
  );
}
