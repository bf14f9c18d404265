import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, call } from '../../api/client.ts';
import { refreshPeople } from '../../api/entries.ts';
import { mailableOf, mailStatusQuery, waits } from '../../api/mail-status.ts';
import { waitlistQuery } from '../../api/waitlists.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { Alert } from '../../ui/alert.tsx';
import { Field, Input, TextArea } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { toast } from '../../ui/toast.tsx';
import { toastMailed } from '../emails/toast-mailed.ts';
import { bodyWithMetadata, metadataIn, withMember } from '../entry/metadata-text.ts';

interface AddPersonProps {
  scope: Scope;
  onClose: () => void;
  /** Called with the id of the entry. */
  onAdded: (entryId: string) => void;
}

/** Adds one person, exactly as a signup does. */
export function AddPerson({ scope, onClose, onAdded }: AddPersonProps) {
  const client = useQueryClient();
  const [email, setEmail] = useState('');
  const [name, setName] = useState('');
  const [referredBy, setReferredBy] = useState('');
  const [metadata, setMetadata] = useState('');
  const add = async () => {
    const { waitlistId, environment } = scope;
    const given = Object.keys(metadataIn(metadata)).length === 0 ? '{}' : metadata;
    const data = name.trim() === '' ? given : withMember('name', name.trim(), given);
    const body = {
      email: email.trim(),
      ...(referredBy.trim() === '' ? {} : { referredBy: referredBy.trim() }),
    };
    const added = await call(
      api.POST('/admin/v1/waitlists/{waitlistId}/entries', {
        params: { path: { waitlistId }, query: { environment } },
        body,
        bodySerializer: () => (data === '{}' ? JSON.stringify(body) : bodyWithMetadata(body, data)),
      }),
    );
    await refreshPeople(client, scope);
    if (added.mailable) toastMailed(`Added ${added.entry.email}`, added.mailable);
    else toast(`${added.entry.email} is on the waitlist already`, { warn: true });
    onAdded(added.entry.id);
  };
  return (
    <FormDialog
      title="Add person"
      about={`They join the line in ${scope.environment}, exactly as if they had signed up.`}
      action="Add person"
      onClose={onClose}
      onSubmit={add}
    >
      {(problem) => (
        <>
          <Field label="Email" name="email" error={problem('email')}>
            <Input
              type="text"
              inputMode="email"
              autoComplete="off"
              value={email}
              onChange={({ target: { value } }) => setEmail(value)}
            />
          </Field>
          <Field label="Name" help="Optional. Stored as metadata." error={problem('metadata.name')}>
            <Input
              autoComplete="off"
              maxLength={200}
              value={name}
              onChange={({ target: { value } }) => setName(value)}
            />
          </Field>
          <Field
            label="Referred by"
            name="referredBy"
            help="Optional. Email or referral code of somebody on the waitlist."
            error={problem('referredBy')}
          >
            <Input
              autoComplete="off"
              value={referredBy}
              onChange={({ target: { value } }) => setReferredBy(value)}
            />
          </Field>
          <Field label="Metadata" name="metadata" help="Optional. A JSON object." error={problem('metadata')}>
            <TextArea
              rows={2}
              spellCheck={false}
              placeholder='{ "plan": "pro" }'
              className="font-mono text-sm"
              value={metadata}
              onChange={({ target: { value } }) => setMetadata(value)}
            />
          </Field>
          <EmailNote scope={scope} />
        </>
      )}
    </FormDialog>
  );
}

/** Whether they are emailed, before anything is done. */
function EmailNote({ scope }: { scope: Scope }) {
  const { data: waitlist } = useQuery(waitlistQuery(scope));
  const { data: status } = useQuery(mailStatusQuery(scope));
  if (!waitlist || !status) return null;
  const kind = waitlist.confirmEmails ? 'confirm' : 'welcome';
  const mailable = mailableOf(status, kind);
  if (!mailable) return null;
  if (mailable.mailable)
    return (
      <p className="text-sm text-mute">
        {kind === 'confirm' ? 'They get an email to confirm their address.' : 'They get the welcome email.'}
      </p>
    );
  return (
    <Alert tone="warn" title={waits(mailable) ? 'The email waits' : 'They are not emailed'}>
      {mailable.message}
    </Alert>
  );
}
