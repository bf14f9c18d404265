import { useState } from 'react';
import { api, call } from '../../api/client.ts';
import { mayActAs, type Operator, useMe } from '../../api/me.ts';
import { Field } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Select } from '../../ui/select.tsx';
import { toast } from '../../ui/toast.tsx';
import { roleOptions } from './roles.ts';

interface RoleDialogProps {
  operator: Operator;
  onClose: () => void;
  onChanged: () => Promise<unknown>;
}

export function RoleDialog({ operator, onClose, onChanged }: RoleDialogProps) {
  const { role: mine } = useMe();
  const [role, setRole] = useState(operator.role);
  const [tokens, setTokens] = useState<'revoke' | 'cap'>('revoke');
  const sinks = role !== operator.role && mayActAs(operator.role, role);
  const rises = role !== operator.role && !sinks;
  return (
    <FormDialog
      title={`Change the role of ${operator.name || operator.email}`}
      action="Change role"
      onClose={onClose}
      onSubmit={async () => {
        const params = { path: { operatorId: operator.id } };
        await call(
          api.PATCH('/admin/v1/operators/{operatorId}', {
            params,
            body: { role, ...(sinks ? { tokens } : {}) },
          }),
        );
        await onChanged();
        toast(`${operator.name || operator.email} is now ${role}`);
        onClose();
      }}
    >
      {(problem) => (
        <>
          <Field
            label="Role"
            error={problem('role')}
            help={rises ? 'Their open invitation and reset links end. You can create a new one.' : undefined}
          >
            <Select label="Role" value={role} onChange={setRole} options={roleOptions(mine)} />
          </Field>
          {sinks && (
            <Field label="Their admin tokens with a higher role" error={problem('tokens')}>
              <Select
                label="Their admin tokens with a higher role"
                value={tokens}
                onChange={setTokens}
                options={[
                  { value: 'revoke', label: 'Revoke them' },
                  { value: 'cap', label: `Lower them to ${role}` },
                ]}
              />
            </Field>
          )}
        </>
      )}
    </FormDialog>
  );
}
