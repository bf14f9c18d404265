import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, call } from '../../api/client.ts';
import { nameOf, refreshPeople } from '../../api/entries.ts';
import { MAX } from '../../api/limits.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Field, TextArea } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { shorten } from '../../ui/shorten.ts';
import { toast } from '../../ui/toast.tsx';
import type { AboutEntry } from './about-entry.ts';
import { decideErasure, type ErasureRequest } from './erasures.ts';

interface DialogProps extends AboutEntry {
  onClose: () => void;
}

/** For those who may not erase: an admin decides. */
export function AskForErasure({ scope, entry, onClose }: DialogProps) {
  const client = useQueryClient();
  const [reason, setReason] = useState('');
  const name = shorten(nameOf(entry));
  const ask = async () => {
    await call(
      api.POST('/admin/v1/waitlists/{waitlistId}/entries/{entryId}/erasure-request', {
        params: {
          path: { waitlistId: scope.waitlistId, entryId: entry.id },
          query: { environment: scope.environment },
        },
        body: reason.trim() === '' ? {} : { reason },
      }),
    );
    await refreshPeople(client, scope);
    toast(`Asked to erase ${name}`);
    onClose();
  };
  return (
    <FormDialog
      title={`Ask an admin to erase ${name}?`}
      about="Nothing changes until an admin confirms. Then everything stored about this person is destroyed."
      action="Ask"
      onClose={onClose}
      onSubmit={ask}
    >
      {(problem) => (
        <Field
          label="Reason"
          name="reason"
          help="Optional. It is forgotten once an admin has decided."
          error={problem('reason')}
        >
          <TextArea
            rows={3}
            maxLength={MAX.ErasureAsked.reason}
            value={reason}
            onChange={(event) => setReason(event.target.value)}
          />
        </Field>
      )}
    </FormDialog>
  );
}

interface DecisionProps extends DialogProps {
  request: ErasureRequest;
  decision: 'confirm' | 'refuse';
}

/** Asks an admin once more, because an erasure cannot be undone. */
export function DecideErasure({ scope, entry, request, decision, onClose }: DecisionProps) {
  const client = useQueryClient();
  const name = shorten(nameOf(entry));
  const isErasure = decision === 'confirm';
  return (
    <ConfirmDialog
      open
      harmless={!isErasure}
      onClose={onClose}
      title={isErasure ? `Erase ${name}?` : 'Refuse this request?'}
      about={
        isErasure
          ? `Destroys everything stored about this person in ${scope.environment}, also in emails and webhooks that were not sent yet. Nobody can bring it back.`
          : `${name} stays as they are. Support can ask again.`
      }
      action={isErasure ? 'Erase for good' : 'Refuse'}
      {...(isErasure ? { typed: shorten(entry.email ?? entry.phone ?? entry.id) } : {})}
      onConfirm={async () => {
        await decideErasure(client, scope, request.id, decision);
        toast(isErasure ? 'Erased this person' : 'Refused the request');
      }}
    />
  );
}
