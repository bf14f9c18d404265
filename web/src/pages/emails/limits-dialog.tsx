import { useState } from 'react';
import { changedFields } from '../../ui/changed-fields.ts';
import { Field, Input } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { toast } from '../../ui/toast.tsx';
import type { Sending } from './sending.ts';

interface LimitsDialogProps {
  sending: Sending;
  onClose: () => void;
  onSave: (changes: Partial<Pick<Sending, 'bouncePercent' | 'complaintPercent'>>) => Promise<void>;
}

/** The browser keeps what is no number from being saved as no limit. */
const PERCENT = { type: 'number', min: 0.01, max: 100, step: 0.01, inputMode: 'decimal' } as const;
const textOf = (limit: number | null) => (limit === null ? '' : String(limit));
const limitOf = (text: string) => (text.trim() === '' ? null : Number(text));

export function LimitsDialog({ sending: given, onClose, onSave }: LimitsDialogProps) {
  const [sending] = useState(given);
  const [bounces, setBounces] = useState(textOf(sending.bouncePercent));
  const [complaints, setComplaints] = useState(textOf(sending.complaintPercent));
  return (
    <FormDialog
      title="Change limits"
      about="In percent of the emails that were sent. Leave a field empty for no limit."
      action="Save"
      onClose={onClose}
      onSubmit={async () => {
        const limits = { bouncePercent: limitOf(bounces), complaintPercent: limitOf(complaints) };
        await onSave(changedFields(sending, limits));
        onClose();
        toast('Limits saved');
      }}
    >
      {(problem) => (
        <>
          <Field label="Hard bounces (%)" error={problem('bouncePercent')}>
            <Input {...PERCENT} value={bounces} onChange={(event) => setBounces(event.target.value)} />
          </Field>
          <Field label="Spam complaints (%)" error={problem('complaintPercent')}>
            <Input {...PERCENT} value={complaints} onChange={(event) => setComplaints(event.target.value)} />
          </Field>
        </>
      )}
    </FormDialog>
  );
}
