import { useQueryClient } from '@tanstack/react-query';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { draftsOf, numberOr } from '../../ui/drafts.ts';
import { Field, Input } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { toast } from '../../ui/toast.tsx';
import { type Labels, useSettings } from '../../ui/use-settings.ts';
import { type Sending, type SendingChanges, sendingQuery } from './sending.ts';

interface LimitsDialogProps {
  scope: Scope;
  sending: Sending;
  onClose: () => void;
  onSave: (changes: SendingChanges, etag: string) => Promise<Sending>;
}

/** The browser keeps what is no number from being saved as no limit. */
const PERCENT = { type: 'number', min: 0.01, max: 100, step: 0.01, inputMode: 'decimal' } as const;

const { draftOf, changesOf } = draftsOf({ bouncePercent: numberOr(''), complaintPercent: numberOr('') });

const limitWords = (limit: string) => limit || 'No limit';
const LABELS: Labels<ReturnType<typeof draftOf>> = {
  bouncePercent: { label: 'Hard bounces (%)', words: limitWords },
  complaintPercent: { label: 'Spam complaints (%)', words: limitWords },
};

export function LimitsDialog({ scope, sending, onClose, onSave }: LimitsDialogProps) {
  const client = useQueryClient();
  const { draft, set, meanwhile, save } = useSettings({
    saved: sending,
    draftOf,
    changesOf,
    save: (changes, { etag }) => onSave(changes, etag),
    others: {
      labels: LABELS,
      reload: () => client.fetchQuery({ ...sendingQuery(scope), staleTime: 0 }),
    },
  });
  return (
    <FormDialog
      title="Change limits"
      about="In percent of the emails that were sent. Leave a field empty for no limit."
      action="Save"
      onClose={onClose}
      meanwhile={meanwhile}
      onSubmit={async (over) => {
        if (!(await save(over))) return;
        onClose();
        toast('Limits saved');
      }}
    >
      {(problem) => (
        <>
          <Field label="Hard bounces (%)" error={problem('bouncePercent')}>
            <Input
              {...PERCENT}
              value={draft.bouncePercent}
              onChange={(event) => set({ bouncePercent: event.target.value })}
            />
          </Field>
          <Field label="Spam complaints (%)" error={problem('complaintPercent')}>
            <Input
              {...PERCENT}
              value={draft.complaintPercent}
              onChange={(event) => set({ complaintPercent: event.target.value })}
            />
          </Field>
        </>
      )}
    </FormDialog>
  );
}
