import { useState } from 'react';
import { api, call } from '../../api/client.ts';
import { type Operator, useMe } from '../../api/me.ts';
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
  return (
    <FormDialog
      title={`Change the role of ${operator.name || operator.email}`}
      action="Change role"
      onClose={onClose}
      onSubmit={async () => {
        const params = { path: { operatorId: operator.id } };
        await call(api.PATCH('/admin/v1/operators/{operatorId}', { params, body: { role } }));
        await onChanged();
        toast(`${operator.name || operator.email} is now ${role}`);
        onClose();
      }}
    >
      {(problem) => (
        <Field label="Role" error={problem('role')}>
          <Select label="Role" value={role} onChange={setRole} options={roleOptions(mine)} />
        </Field>
      )}
    </FormDialog>
  );
}
