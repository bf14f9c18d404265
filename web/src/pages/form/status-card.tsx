import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useMay } from '../../api/me.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { CopyField } from '../../ui/copy-button.tsx';
import { toast, toastError } from '../../ui/toast.tsx';
import { type Form, formQuery, updateForm } from './form-query.ts';

/** Whether people can join by themselves, and where. */
export function StatusCard({ form, scope }: { form: Form; scope: Scope }) {
  const client = useQueryClient();
  const mayChange = useMay('admin');
  const [asking, setAsking] = useState(false);
  const [busy, setBusy] = useState(false);
  const setEnabled = async (enabled: boolean) => {
    const saved = await updateForm(scope, { enabled });
    client.setQueryData(formQuery(scope).queryKey, saved);
    toast(enabled ? `The form is on in ${scope.environment}` : `The form is off in ${scope.environment}`);
  };
  const turnOn = async () => {
    setBusy(true);
    await setEnabled(true).catch(toastError);
    setBusy(false);
  };
  return (
    <Card
      title={
        <span className="flex items-center gap-2">
          Hosted page
          {form.enabled ? <Badge tone="accent">On</Badge> : <Badge>Off</Badge>}
        </span>
      }
      about={
        form.enabled
          ? `Anyone can join ${scope.waitlistId} in ${scope.environment} here.`
          : 'Nobody can join through the form or its page while it is off. Your API keys work anyway.'
      }
      actions={
        mayChange &&
        (form.enabled ? (
          <Button size="sm" onClick={() => setAsking(true)}>
            Turn off
          </Button>
        ) : (
          <Button size="sm" look="primary" busy={busy} onClick={turnOn}>
            Turn on
          </Button>
        ))
      }
    >
      <CopyField text={form.url} what="address" />
      {!mayChange && <p className="mt-3 text-sm text-mute">Only an admin can change the form.</p>}
      <ConfirmDialog
        open={asking}
        onClose={() => setAsking(false)}
        title={`Turn the form off in ${scope.environment}?`}
        about="The page and the form on your sites refuse new people until you turn it on again."
        action="Turn off"
        onConfirm={() => setEnabled(false)}
      />
    </Card>
  );
}
