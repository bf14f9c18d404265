import { useState } from 'react';
import { api, call } from '../../api/client.ts';
import type { Operator } from '../../api/me.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Select } from '../../ui/select.tsx';
import { toast } from '../../ui/toast.tsx';

interface RemoveDialogProps {
  operator: Operator;
  onClose: () => void;
  onRemoved: () => Promise<unknown>;
}

export function RemoveDialog({ operator, onClose, onRemoved }: RemoveDialogProps) {
  const [tokens, setTokens] = useState<'revoke' | 'keep'>('revoke');
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`Remove ${operator.name || operator.email}?`}
      about="They are signed out at once and cannot sign in again. One-time links that they created end. What they did stays in the audit trail."
      action="Remove"
      typed={operator.email}
      onConfirm={async () => {
        const params = { path: { operatorId: operator.id }, query: { tokens } };
        await call(api.DELETE('/admin/v1/operators/{operatorId}', { params }));
        await onRemoved();
        toast(`Removed ${operator.email}`);
      }}
    >
      <Field label="Their admin tokens">
        <Select
          label="Their admin tokens"
          value={tokens}
          onChange={setTokens}
          options={[
            { value: 'revoke', label: 'Revoke them' },
            { value: 'keep', label: 'Keep them as mine' },
          ]}
        />
      </Field>
    </ConfirmDialog>
  );
}
