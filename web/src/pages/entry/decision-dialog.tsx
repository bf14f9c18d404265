import { useState } from 'react';
import { MAX } from '../../api/limits.ts';
import type { Mailable } from '../../api/mail-status.ts';
import { Field, TextArea } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import type { AboutEntry } from './about-entry.ts';
import { TellByEmail } from './tell-by-email.tsx';
import type { EntryChanges } from './use-entry-changes.ts';

const WORDS = {
  approve: {
    action: 'Approve',
    about: 'Invites them. The invite expires after the waitlist’s default time.',
  },
  decline: {
    action: 'Decline',
    about:
      'They are kept without a place in line, and open invites are revoked. Unless you tell them, they do not notice: their page looks as before. You can take it back at any time.',
  },
};

interface DecisionDialogProps extends AboutEntry {
  verb: keyof typeof WORDS;
  changes: EntryChanges;
  onClose: () => void;
}

/** A decision about a person, and what the team should remember of it. */
export function DecisionDialog({ verb, scope, entry, changes, onClose }: DecisionDialogProps) {
  const [note, setNote] = useState('');
  const [email, setEmail] = useState<Mailable>();
  const { action, about } = WORDS[verb];
  const decide = async () => {
    await changes.decide(verb, note.trim(), { email });
    onClose();
  };
  const where = scope.environment === 'production' ? '' : ` in ${scope.environment}`;
  return (
    <FormDialog
      title={`${action} ${changes.name}${where}?`}
      about={about}
      action={action}
      onClose={onClose}
      onSubmit={decide}
    >
      {(problem) => (
        <>
          <Field
            label="Note"
            name="note"
            help="Optional. Only the team sees it, in the history."
            error={problem('note')}
          >
            <TextArea
              rows={3}
              maxLength={MAX.EntryDecision.note}
              value={note}
              onChange={(event) => setNote(event.target.value)}
            />
          </Field>
          {verb === 'decline' && (
            <TellByEmail scope={scope} entry={entry} checked={email !== undefined} onChange={setEmail} />
          )}
        </>
      )}
    </FormDialog>
  );
}
