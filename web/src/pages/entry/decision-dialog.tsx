import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { MAX } from '../../api/limits.ts';
import { type Mailable, mailableOf, personMailQuery, waits } from '../../api/mail-status.ts';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Field, TextArea } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import type { AboutEntry } from './about-entry.ts';
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
    await (email ? changes.declineByEmail(note.trim(), email) : changes.decide(verb, note.trim()));
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

interface TellByEmailProps extends AboutEntry {
  checked: boolean;
  onChange: (email: Mailable | undefined) => void;
}

/** Only if the person gets it, now or once sending goes on. */
function TellByEmail({ scope, entry, checked, onChange }: TellByEmailProps) {
  const { data, isError } = useQuery(personMailQuery(scope, entry.id));
  const mailable = mailableOf(data, 'declined');
  const isSent = mailable !== undefined && (mailable.mailable || waits(mailable));
  const unknown = isError
    ? 'Could not check whether they can be emailed.'
    : 'Checking whether they can be emailed…';
  const sent = 'Sends the email “Declined”, whose text you find under Emails.';
  return (
    <Checkbox
      label="Tell them by email"
      help={mailable ? (mailable.message ?? sent) : unknown}
      checked={checked && isSent}
      disabled={!isSent}
      onChange={(on) => onChange(on ? mailable : undefined)}
    />
  );
}
